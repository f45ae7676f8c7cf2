package io.tensorferry.grpc.peer;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/// A virtual thread for each callback. They may wait, and may end the server.
///
/// Threading: any thread.
final class OwnCallbacks implements Executor {
    private final ThreadFactory threads;
    // Those that have not ended. Guarded by this.
    private final Set<Thread> running = new HashSet<>();

    /// @param prefix of the threads' names
    OwnCallbacks(String prefix) {
        this.threads = Thread.ofVirtual().name(prefix, 0).factory();
    }

    /// Never rejects: a receive that is begun after the end of the server has its callback run all the same.
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

    /// Waits until `patience` is over for callbacks that run, but for the one that calls this, then interrupts them.
    void awaitEnds(Deadline patience) {
        othersLeftAfter(patience).forEach(Thread::interrupt);
    }

    private synchronized List<Thread> othersLeftAfter(Deadline patience) {
        Thread self = Thread.currentThread();
        int mine = running.contains(self) ? 1 : 0;
        try {
            while (running.size() > mine && !patience.isOver()) {
                // At least a millisecond, because 0 waits for ever.
                wait(Math.max(
                        1, TimeUnit.NANOSECONDS.toMillis(patience.remaining().toNanos())));
            }
        } catch (InterruptedException e) {
            self.interrupt();
        }
        return running.stream().filter(thread -> !thread.equals(self)).toList();
    }
}
