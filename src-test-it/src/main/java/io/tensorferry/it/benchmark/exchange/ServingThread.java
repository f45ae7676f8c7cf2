package io.tensorferry.it.benchmark.exchange;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// A thread that runs turns without a pause, but only while resumed: for producers that spin.
///
/// Threading: one thread calls.
public final class ServingThread implements AutoCloseable {
    private final String name;
    private final Runnable turn;
    private volatile boolean running;
    private final Object monitor = new Object();
    private boolean idle = true;
    private boolean closed;
    private final Thread thread;
    private final CompletableFuture<@Nullable Void> failure = new CompletableFuture<>();

    public ServingThread(String name, Runnable turn) {
        this.name = name;
        this.turn = turn;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    private void run() {
        try {
            while (awaitWork()) {
                while (running) {
                    turn.run();
                }
            }
        } catch (RuntimeException e) {
            failure.completeExceptionally(e);
            synchronized (monitor) {
                idle = true;
                monitor.notifyAll();
            }
        }
    }

    private boolean awaitWork() {
        synchronized (monitor) {
            idle = true;
            monitor.notifyAll();
            while (!running && !closed) {
                try {
                    monitor.wait();
                } catch (InterruptedException _) {
                    return false;
                }
            }
            idle = false;
            return !closed;
        }
    }

    /// Starts to run turns.
    ///
    /// @throws IllegalStateException if a turn has failed
    public void resume() {
        throwFailure();
        synchronized (monitor) {
            running = true;
            monitor.notifyAll();
        }
    }

    /// Stops running turns. Returns after the current turn has ended.
    ///
    /// @throws IllegalStateException if a turn has failed
    public void pause() throws InterruptedException {
        synchronized (monitor) {
            running = false;
            while (!idle) {
                monitor.wait();
            }
        }
        throwFailure();
    }

    private void throwFailure() {
        try {
            var _ = failure.getNow(null);
        } catch (CompletionException e) {
            throw new IllegalStateException(name + " has failed", e.getCause());
        }
    }

    @Override
    public void close() {
        synchronized (monitor) {
            closed = true;
            running = false;
            monitor.notifyAll();
        }
    }
}
