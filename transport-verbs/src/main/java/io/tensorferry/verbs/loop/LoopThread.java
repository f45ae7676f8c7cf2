package io.tensorferry.verbs.loop;

import io.tensorferry.api.thread.TransportThread;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Turns a completion loop on a dedicated thread: polls, spins for a bounded time that [SpinTime] chooses, then sleeps
/// until an event arrives.
///
/// While it spins it yields the processor every few microseconds: on a machine with more runnable threads than
/// processors, one of those threads may be the peer that the loop waits for.
///
/// No exception of a turn ends the thread, not even an `Error`, because every peer of the worker depends on it.
///
/// Threading: [#start] and [#stop] from one thread at a time.
public final class LoopThread implements LoopRunner {
    /// Pause after a turn that threw, so that a recurring exception leaves the processor to other threads.
    private static final long PAUSE_AFTER_MISTAKE_NS = 1_000_000;
    /// Interval between yields. Each is a system call, so the interval is as long as a peer that waits for the
    /// processor can bear.
    private static final long OFFER_NS = 5_000;

    private final String name;
    private final SpinTime spin;
    private final CountDownLatch stopped = new CountDownLatch(1);
    // Accessed by the loop's thread alone.
    private boolean running = true;
    private @Nullable CompletionLoop loop;

    public LoopThread(String name, long mostSpinNs) {
        this.name = name;
        this.spin = new SpinTime(mostSpinNs);
    }

    @Override
    public void start(CompletionLoop loop) {
        this.loop = loop;
        new Turning(loop).start();
    }

    /// The thread of a loop; it carries a reference to that loop.
    final class Turning extends Thread {
        private final CompletionLoop turned;

        Turning(CompletionLoop turned) {
            super(name);
            this.turned = turned;
            setDaemon(true);
        }

        CompletionLoop loop() {
            return turned;
        }

        @Override
        public void run() {
            TransportThread.neverWaiting(() -> turnUntilStopped(turned)).run();
        }
    }

    private void turnUntilStopped(CompletionLoop loop) {
        try {
            while (running) {
                turn(loop);
            }
        } finally {
            stopped.countDown();
        }
    }

    private void turn(CompletionLoop loop) {
        try {
            if (loop.doWork() == 0 && !spin(loop)) {
                long sleptSinceNs = System.nanoTime();
                loop.sleep();
                spin.slept(System.nanoTime() - sleptSinceNs);
            }
        } catch (RuntimeException | Error e) {
            loop.report("a turn of the completion loop failed", e);
            LockSupport.parkNanos(this, PAUSE_AFTER_MISTAKE_NS);
        }
    }

    /// Polls for work for at most the current spin time; returns whether it found any.
    @SuppressWarnings("ThreadPriorityCheck") // yielding affects scheduling only, not correctness
    private boolean spin(CompletionLoop loop) {
        long mostNs = spin.currentNs();
        if (mostNs == 0) {
            return false;
        }
        long sinceNs = System.nanoTime();
        long nowNs = sinceNs;
        long offeredNs = sinceNs - OFFER_NS;
        while (nowNs - sinceNs < mostNs) {
            if (nowNs - offeredNs >= OFFER_NS) {
                Thread.yield();
                offeredNs = nowNs;
            } else {
                Thread.onSpinWait();
            }
            if (loop.doWork() > 0) {
                return true;
            }
            nowNs = System.nanoTime();
        }
        return false;
    }

    @Override
    public void stop(Runnable last) {
        CompletionLoop started = Objects.requireNonNull(loop, "the loop was not started");
        started.execute(() -> {
            try {
                last.run();
            } finally {
                running = false;
            }
        });
        boolean interrupted = false;
        while (stopped.getCount() > 0) {
            try {
                stopped.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
