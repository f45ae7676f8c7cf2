package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.thread.TransportThread;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A thread that drives one copy queue.
///
/// While a copy is in progress it polls for completion, at first without pausing. While tasks only wait for events, it
/// polls with growing pauses. Otherwise it sleeps.
final class CopyThread implements CopyRunner {
    private static final long SPIN_NS = 50_000;
    private static final long SHORT_PAUSE_NS = 20_000;
    private static final long LONG_PAUSE_NS = 1_000_000;

    private final String name;
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private @Nullable CopyQueue queue;
    private @Nullable Thread thread;

    CopyThread(String name) {
        this.name = name;
    }

    @Override
    public void start(CopyQueue started) {
        queue = started;
        thread = Thread.ofPlatform().name(name).daemon(true).start(TransportThread.neverWaiting(() -> run(started)));
    }

    private void run(CopyQueue queue) {
        long idleSinceNs = System.nanoTime();
        long pauseNs = SHORT_PAUSE_NS;
        while (!queue.isOver()) {
            if (queue.doWork() > 0) {
                idleSinceNs = System.nanoTime();
                pauseNs = SHORT_PAUSE_NS;
            } else if (queue.isCopying()) {
                if (System.nanoTime() - idleSinceNs < SPIN_NS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(this, SHORT_PAUSE_NS);
                }
            } else {
                sleep(queue, queue.isWaiting() ? pauseNs : Long.MAX_VALUE);
                pauseNs = Math.min(2 * pauseNs, LONG_PAUSE_NS);
                idleSinceNs = System.nanoTime();
            }
        }
        queue.closeStreams();
    }

    private void sleep(CopyQueue queue, long mostNs) {
        sleeping.set(true);
        // Read after the flag is set, while submitters read the flag after adding the task: one of the two sees the
        // other.
        if (!queue.hasGiven() && !queue.isOver()) {
            LockSupport.parkNanos(this, mostNs);
        }
        sleeping.set(false);
    }

    @Override
    public void wake() {
        Thread started = thread;
        if (sleeping.getAndSet(false) && started != null) {
            LockSupport.unpark(started);
        }
    }

    @Override
    public void stop() {
        Thread started = Objects.requireNonNull(thread, "the copy thread was not started");
        Objects.requireNonNull(queue).close();
        boolean interrupted = false;
        while (started.isAlive()) {
            try {
                started.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
