package io.tensorferry.grpc.peer;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/// Runs each callback on a new virtual thread. Callbacks may wait, and may stop the server.
///
/// Threading: any thread.
final class OwnCallbacks implements Executor {
    private final ThreadFactory threads;
    // Threads that have not ended. Guarded by this.
    private final Set<Thread> running = new HashSet<>();

    /// @param prefix the prefix of the threads' names
    OwnCallbacks(String prefix) {
        this.threads = Thread.ofVirtual().name(prefix, 0).factory();
    }

    /// Never rejects: the callback of a receive that begins after the server has stopped still runs.
    @Override
    public void execute(Runnable callback) {
        Thread thread = threads.newThread(() -> {
            try {
                callback.run();
            } finally {
                ended();
            }
        });
        synchronized (this) {
            running.add(thread);
        }
        thread.start();
    }

    private synchronized void ended() {
        running.remove(Thread.currentThread());
        notifyAll();
    }

    /// Waits until `patience` is over for running callbacks, except the one that calls this method, then interrupts
    /// them.
    void awaitEnds(Deadline patience) {
        othersLeftAfter(patience).forEach(Thread::interrupt);
    }

    private synchronized List<Thread> othersLeftAfter(Deadline patience) {
        Thread self = Thread.currentThread();
        int mine = running.contains(self) ? 1 : 0;
        try {
            while (running.size() > mine && !patience.isOver()) {
                // At least 1 ms, because wait(0) never times out.
                wait(Math.max(
                        1, TimeUnit.NANOSECONDS.toMillis(patience.remaining().toNanos())));
            }
        } catch (InterruptedException e) {
            self.interrupt();
        }
        return running.stream().filter(thread -> !thread.equals(self)).toList();
    }
}
