package io.tensorferry.verbs.loop;

import io.tensorferry.api.TransportThread;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A bounded pool of platform threads for work that takes long; a stop can wait until nothing is left of it.
///
/// They are the transport's own: virtual threads share their carriers with the user's callbacks, and callbacks that
/// compute would keep them all. As many threads compute as there are processors. A thread that waits (for memory, or in
/// a call of the driver) says so with a [ForkJoinPool.ManagedBlocker], and another one takes its place, up to
/// [#MOST_THREADS]; beyond that, tasks wait for a thread.
///
/// Threading: any thread.
public final class BackgroundThreads implements BackgroundExecutor {
    /// Threads that wait take no processor, but memory for their stacks.
    static final int MOST_THREADS = 512;

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThreads.class);
    private static final int FEWEST_COMPUTING = 4;
    private static final int MOST_COMPUTING = 32;
    private static final long IDLE_SECONDS = 30;

    private final ForkJoinPool threads;
    private final Object lock = new Object();
    // Tasks that were given and are not done; under the lock.
    private long unfinished;

    /// @param prefix of the threads' names
    public BackgroundThreads(String prefix) {
        int computing = Math.clamp(Runtime.getRuntime().availableProcessors(), FEWEST_COMPUTING, MOST_COMPUTING);
        // Tasks in the order given, not the newest first. At the bound, a thread that waits is not made up for.
        var made = new AtomicInteger();
        this.threads = new ForkJoinPool(
                computing,
                pool -> new Worker(pool, prefix + made.getAndIncrement()),
                null,
                true,
                0,
                MOST_THREADS,
                1,
                _ -> true,
                IDLE_SECONDS,
                TimeUnit.SECONDS);
    }

    private static final class Worker extends ForkJoinWorkerThread {
        Worker(ForkJoinPool pool, String name) {
            super(null, pool, true);
            setName(name);
            setDaemon(true);
        }
    }

    /// @throws java.util.concurrent.RejectedExecutionException when it is closed
    @Override
    public void execute(Runnable task) {
        begin();
        boolean given = false;
        try {
            threads.execute(() -> {
                try {
                    TransportThread.working(task).run();
                } catch (RuntimeException | Error e) {
                    LOG.error("a task of a worker failed", e);
                } finally {
                    end();
                }
            });
            given = true;
        } finally {
            if (!given) {
                end();
            }
        }
    }

    /// Runs a call that may wait for long, as one of the driver may. On a worker, another thread takes its place
    /// meanwhile.
    public static void waiting(Runnable call) {
        try {
            ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() {
                private boolean done;

                @Override
                public boolean block() {
                    call.run();
                    done = true;
                    return true;
                }

                @Override
                public boolean isReleasable() {
                    return done;
                }
            });
        } catch (InterruptedException e) {
            // Not of the call: it does not throw it.
            Thread.currentThread().interrupt();
        }
    }

    private void begin() {
        synchronized (lock) {
            unfinished++;
        }
    }

    private void end() {
        synchronized (lock) {
            unfinished--;
            if (unfinished == 0) {
                lock.notifyAll();
            }
        }
    }

    /// Waits whether the caller is interrupted or not.
    @Override
    public void awaitIdle() {
        boolean interrupted = false;
        synchronized (lock) {
            while (unfinished > 0) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        threads.close();
    }
}
