package io.tensorferry.verbs.rendezvous;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands receives that have ended from the loop to an executor that makes something for each, such as a thread: the
/// loop links the receive into a list and makes nothing; a thread of this empties the list.
///
/// Threading: [#execute] from any thread. Ownership: whoever made it closes it, before the executor behind it.
public final class CallbackDispatcher implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackDispatcher.class);

    private final Executor behind;
    private final Thread thread;
    // The newest of those that wait.
    private final AtomicReference<@Nullable RemoteReceive> waiting = new AtomicReference<>();
    private volatile boolean closed;

    /// Starts the thread.
    ///
    /// @param name of the thread
    /// @param behind starts each callback, on a thread of its own or wherever it likes
    public CallbackDispatcher(String name, Executor behind) {
        this.behind = behind;
        this.thread = Thread.ofPlatform().daemon().name(name).start(this::dispatch);
    }

    /// Has `callback` run by the executor behind this: from the thread of this if it is a receive that has ended,
    /// otherwise at once.
    @Override
    public void execute(Runnable callback) {
        if (!(callback instanceof RemoteReceive receive) || closed) {
            behind.execute(callback);
            return;
        }
        RemoteReceive before;
        do {
            before = waiting.get();
            receive.endedBefore = before;
        } while (!waiting.compareAndSet(before, receive));
        if (before == null) {
            LockSupport.unpark(thread);
        }
    }

    private void dispatch() {
        while (true) {
            RemoteReceive newest = waiting.getAndSet(null);
            if (newest != null) {
                startAll(newest);
            } else if (closed) {
                return;
            } else {
                LockSupport.park(this);
            }
        }
    }

    private void startAll(RemoteReceive newest) {
        RemoteReceive oldest = null;
        for (RemoteReceive each = newest; each != null; ) {
            RemoteReceive older = each.endedBefore;
            each.endedBefore = oldest;
            oldest = each;
            each = older;
        }
        for (RemoteReceive each = oldest; each != null; ) {
            RemoteReceive next = each.endedBefore;
            each.endedBefore = null;
            try {
                behind.execute(each);
            } catch (RuntimeException e) {
                LOG.error("the callback of the receive of {} could not be started", each.key(), e);
            }
            each = next;
        }
    }

    /// Starts what waits, and ends the thread. Waits for that. What comes later goes straight to the executor behind
    /// this.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        // Who had looked before it was closed.
        RemoteReceive late = waiting.getAndSet(null);
        if (late != null) {
            startAll(late);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
