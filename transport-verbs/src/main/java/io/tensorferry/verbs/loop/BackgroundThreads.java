package io.tensorferry.verbs.loop;

import io.tensorferry.api.thread.TransportThread;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A bounded pool of platform threads for long-running work, which can wait until all of its tasks have finished.
///
/// The transport has its own threads because virtual threads share their carriers with the user's callbacks, and
/// callbacks that compute would occupy every carrier. The pool's parallelism is the number of processors, within 4 to
/// 32. A thread that blocks (for memory, or in a call of the driver) does so through a [ForkJoinPool.ManagedBlocker],
/// and another thread replaces it, up to [#MOST_THREADS] threads. Beyond that limit, tasks wait for a thread.
///
/// Threading: any thread.
public final class BackgroundThreads implements BackgroundExecutor {
    /// A blocked thread uses no processor, but memory for its stack.
    static final int MOST_THREADS = 512;

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThreads.class);
    private static final int FEWEST_COMPUTING = 4;
    private static final int MOST_COMPUTING = 32;
    private static final long IDLE_SECONDS = 30;

    private final ForkJoinPool threads;
    private final Object lock = new Object();
    // Tasks that were given and have not finished. Guarded by `lock`.
    private long unfinished;

    /// @param prefix prefix of the threads' names
    public BackgroundThreads(String prefix) {
        int computing = Math.clamp(Runtime.getRuntime().availableProcessors(), FEWEST_COMPUTING, MOST_COMPUTING);
        // Tasks run in the order given, not newest first. At the limit, a blocked thread is not replaced.
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

    /// @throws java.util.concurrent.RejectedExecutionException if the pool is closed
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

    /// Runs a call that may block for long, such as a call of the driver. On a thread of the pool, another thread
    /// replaces it meanwhile.
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
            // Interruption is not a failure of the call, which does not throw it.
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

    /// Waits even if the caller is interrupted, and then restores the interrupt status.
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
