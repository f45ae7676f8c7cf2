package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.thread.TransportThread;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the callbacks of receives. Except for [#onCaller()], [#execute] neither throws nor runs user code: a user's
/// executor may reject, block, or run the callback inline, and none of this may happen on the loop.
///
/// A completed receive is linked into a list without allocation; a dispatcher thread drains the list into the user's
/// executor. A callback that the executor rejects runs on a virtual thread of the transport, so every callback runs.
/// Rejections are counted, and the first is logged.
///
/// Threading: any thread. Ownership: the owner closes it before it closes the executor behind it.
public final class CallbackExecutor implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackExecutor.class);

    private final Executor behind;
    private final Executor spare;
    private final @Nullable Thread thread;
    private final LongAdder refused = new LongAdder();
    // The newest waiting callback.
    private final AtomicReference<@Nullable Link> waiting = new AtomicReference<>();
    private volatile boolean closed;

    /// A callback that waits to be dispatched; it is its own list node.
    interface Link extends Runnable {
        /// The callback that was linked before; null if there is none.
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

    /// Dispatches callbacks to `behind` on a dedicated thread.
    ///
    /// @param name the name of the thread
    /// @param behind runs each callback, on its own thread or inline; it may reject and may block
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

    /// Passes callbacks to `behind` on the thread that ends the receive.
    ///
    /// @param behind never blocks; it may reject
    /// @param spare runs the callbacks that `behind` rejects
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

    /// Returns the number of callbacks that the executor rejected.
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
                        "the callback executor {} rejected a callback, which runs on a transport thread; later ones"
                                + " that it rejects do so too, and are counted but not logged",
                        behind,
                        e);
            }
            spare.execute(callback);
        }
    }

    /// Starts the waiting callbacks and ends the thread. Later callbacks go directly to the executor.
    @Override
    public void close() {
        close(Duration.ofNanos(Long.MAX_VALUE));
    }

    /// Closes as [#close()] does. If the executor blocks the dispatcher for longer than `patience`, the remaining
    /// callbacks run on threads of the transport.
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
        // Includes callbacks of threads that read `closed` before it was set.
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
        // A callback on the dispatcher itself is closing the server: the thread ends when the callback returns.
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
                    // At least one millisecond, because 0 waits forever.
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
