package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TransportThread;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the callbacks of receives run. [#execute] neither throws nor runs code of the user's, unless this is
/// [#onCaller()]: an executor of the user's may reject, wait, or run the callback itself, and the loop does none of
/// that.
///
/// A receive that has ended is linked into a list, and nothing is made for it; a thread of this empties the list into
/// the executor behind it. A callback that the executor rejects runs on a virtual thread of the transport's, so that
/// each callback runs, whatever the executor does. Those are counted, and the first is logged.
///
/// Threading: any thread. Ownership: the owner closes it, before the executor behind it.
public final class CallbackExecutor implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackExecutor.class);

    private final Executor behind;
    private final Executor spare;
    private final @Nullable Thread thread;
    private final LongAdder refused = new LongAdder();
    // The newest of those that wait.
    private final AtomicReference<@Nullable Link> waiting = new AtomicReference<>();
    private volatile boolean closed;

    /// A callback that waits to be handed on: its own place in the list.
    interface Link extends Runnable {
        /// The one that was linked before; null for none.
        @Nullable
        Link before();

        void before(@Nullable Link link);
    }

    private static final class Wrapped implements Link {
        private final Runnable callback;
        private @Nullable Link before;

        Wrapped(Runnable callback) {
            this.callback = callback;
        }

        @Override
        public @Nullable Link before() {
            return before;
        }

        @Override
        public void before(@Nullable Link link) {
            before = link;
        }

        @Override
        public void run() {
            callback.run();
        }
    }

    private CallbackExecutor(Executor behind, Executor spare, @Nullable String name) {
        this.behind = behind;
        this.spare = spare;
        this.thread = name == null
                ? null
                : Thread.ofPlatform().daemon().name(name).unstarted(TransportThread.neverWaiting(this::dispatch));
    }

    /// Hands callbacks to `behind` from a thread of its own.
    ///
    /// @param name of the thread
    /// @param behind runs each callback, on a thread of its own or wherever it likes; it may reject and may wait
    public static CallbackExecutor dispatching(String name, Executor behind) {
        var made = new CallbackExecutor(behind, CallbackExecutor::startThread, name);
        if (made.thread != null) {
            made.thread.start();
        }
        return made;
    }

    /// Runs callbacks on the thread that ends the receive: the loop, or the thread that gives the receive up.
    public static CallbackExecutor onCaller() {
        return handing(Runnable::run, Runnable::run);
    }

    /// Hands callbacks on where receives end.
    ///
    /// @param behind never waits; it may reject
    /// @param spare where callbacks run that `behind` rejects
    public static CallbackExecutor handing(Executor behind, Executor spare) {
        return new CallbackExecutor(behind, spare, null);
    }

    private static void startThread(Runnable callback) {
        Thread.ofVirtual().name("tensorferry-refused-callback").start(callback);
    }

    @Override
    public void execute(Runnable callback) {
        if (thread == null || closed) {
            start(callback);
            return;
        }
        Link last = callback instanceof Link link ? link : new Wrapped(callback);
        Link before;
        do {
            before = waiting.get();
            last.before(before);
        } while (!waiting.compareAndSet(before, last));
        if (before == null) {
            LockSupport.unpark(thread);
        }
    }

    /// Callbacks that the executor behind this has rejected.
    public long refused() {
        return refused.sum();
    }

    private void dispatch() {
        while (true) {
            Link newest = waiting.getAndSet(null);
            if (newest != null) {
                startAll(newest);
            } else if (closed) {
                return;
            } else {
                LockSupport.park(this);
            }
        }
    }

    private void startAll(Link newest) {
        Link oldest = null;
        for (Link each = newest; each != null; ) {
            Link older = each.before();
            each.before(oldest);
            oldest = each;
            each = older;
        }
        for (Link each = oldest; each != null; ) {
            Link next = each.before();
            each.before(null);
            start(each);
            each = next;
        }
    }

    private void start(Runnable callback) {
        try {
            behind.execute(callback);
        } catch (RuntimeException | Error e) {
            refused.increment();
            if (refused.sum() == 1) {
                LOG.warn(
                        "the executor of callbacks {} rejected a callback; it runs on a thread of the transport's, as will"
                                + " those that are rejected later, which are counted and not logged",
                        behind,
                        e);
            }
            spare.execute(callback);
        }
    }

    /// Starts what waits, and ends the thread. What comes later goes straight to the executor behind this.
    @Override
    public void close() {
        close(Duration.ofNanos(Long.MAX_VALUE));
    }

    /// The same; where the executor behind this keeps the thread for longer than `patience`, what still waits runs on
    /// threads of the transport's.
    ///
    /// @return whether the thread has ended
    public boolean close(Duration patience) {
        Thread dispatcher = thread;
        closed = true;
        if (dispatcher == null) {
            return true;
        }
        LockSupport.unpark(dispatcher);
        boolean ended = join(dispatcher, patience);
        // Also those of callers that had looked before it was closed.
        Link late = waiting.getAndSet(null);
        if (late == null) {
            return ended;
        }
        if (ended) {
            startAll(late);
        } else {
            for (Link each = late; each != null; each = each.before()) {
                refused.increment();
                spare.execute(each);
            }
        }
        return ended;
    }

    private static boolean join(Thread dispatcher, Duration patience) {
        // A callback that runs on the dispatcher itself closes the server: the thread ends when the callback returns.
        if (dispatcher.equals(Thread.currentThread())) {
            return false;
        }
        long sinceNs = System.nanoTime();
        boolean interrupted = false;
        try {
            while (dispatcher.isAlive()) {
                long leftNs = patience.toNanos() - (System.nanoTime() - sinceNs);
                if (leftNs <= 0) {
                    return false;
                }
                try {
                    // At least a millisecond, because 0 waits for ever.
                    dispatcher.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
