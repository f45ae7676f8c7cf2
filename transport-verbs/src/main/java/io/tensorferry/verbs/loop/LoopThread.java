package io.tensorferry.verbs.loop;

import io.tensorferry.api.TransportThread;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Turns a completion loop on a thread of its own: polls, spins for a bounded time, which [SpinTime] chooses, then
/// sleeps until something happens.
///
/// While it spins it offers its processor to others every few microseconds: on a machine with fewer processors than
/// threads that have something to do, one of those may be the peer that it waits for.
///
/// Nothing that a turn throws ends the thread, an `Error` neither: every peer of the worker waits for it.
///
/// Threading: [#start] and [#stop] from one thread at a time.
public final class LoopThread implements LoopRunner {
    /// After a turn that threw, so that a mistake which comes again and again leaves the processor to others.
    private static final long PAUSE_AFTER_MISTAKE_NS = 1_000_000;
    /// A system call each: as seldom as a peer that waits for the processor can bear.
    private static final long OFFER_NS = 5_000;

    private final String name;
    private final SpinTime spin;
    private final CountDownLatch stopped = new CountDownLatch(1);
    // Read and written by the loop's thread alone.
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

    /// A thread that says which loop it turns.
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

    /// Looks for work, at most as long as it may; returns whether there was some.
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but who gets the processor first
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
