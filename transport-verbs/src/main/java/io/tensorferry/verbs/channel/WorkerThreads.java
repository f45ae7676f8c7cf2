package io.tensorferry.verbs.channel;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Virtual threads for work that takes long, a thread for each; a stop can wait until nothing is left of it.
///
/// Threading: any thread.
final class WorkerThreads implements Executor, AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Object lock = new Object();
    // Tasks that were given and are not done; under the lock.
    private long unfinished;

    /// @throws java.util.concurrent.RejectedExecutionException when it is closed
    @Override
    public void execute(Runnable task) {
        begin();
        boolean given = false;
        try {
            threads.execute(() -> {
                try {
                    task.run();
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

    /// Waits until all is done that was given, whether the caller is interrupted or not.
    void awaitIdle() {
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

    /// Takes nothing more, and waits for the rest.
    @Override
    public void close() {
        threads.close();
    }
}
