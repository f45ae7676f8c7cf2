package io.tensorferry.api.thread;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Marks the threads of a transport. Other threads depend on their progress, so user code must neither block nor
/// terminate them:
///
/// - A call that would block, made from a callback on the loop, could wait for its own thread. It is refused.
/// - If such a thread closes the last handle of a tensor, the user's release action runs on another thread.
///
/// For implementers of transports.
///
/// Threading: any thread.
public final class TransportThread {
    private static final Logger LOG = LoggerFactory.getLogger(TransportThread.class);
    private static final ScopedValue<Mark> MARK = ScopedValue.newInstance();

    /// @param mayWait whether the thread may wait for memory
    /// @param releases runs users' release actions; it never rejects a task
    private record Mark(boolean mayWait, Executor releases) {}

    private TransportThread() {}

    /// Wraps the body of a thread that must never wait. Users' release actions run on virtual threads.
    public static Runnable neverWaiting(Runnable body) {
        return neverWaiting(TransportThread::startRelease, body);
    }

    /// Wraps the body of a thread that must never wait. Users' release actions run on `releases`, which must never
    /// reject a task.
    public static Runnable neverWaiting(Executor releases, Runnable body) {
        return marked(new Mark(false, releases), body);
    }

    /// Returns a factory of threads that must never wait. Users' release actions run on virtual threads.
    public static ThreadFactory neverWaiting(ThreadFactory threads) {
        return body -> threads.newThread(neverWaiting(body));
    }

    /// Wraps the body of a thread for long operations, which may wait for memory, but not for the transport. Users'
    /// release actions run on virtual threads.
    public static Runnable working(Runnable body) {
        return working(TransportThread::startRelease, body);
    }

    /// Wraps the body of a thread for long operations, which may wait for memory, but not for the transport. Users'
    /// release actions run on `releases`, which must never reject a task.
    public static Runnable working(Executor releases, Runnable body) {
        return marked(new Mark(true, releases), body);
    }

    private static Runnable marked(Mark mark, Runnable body) {
        return () -> ScopedValue.where(MARK, mark).run(body);
    }

    private static void startRelease(Runnable action) {
        Thread.ofVirtual().name("tensorferry-release").start(action);
    }

    /// Whether the calling thread belongs to a transport.
    public static boolean isCurrent() {
        return MARK.isBound();
    }

    /// Whether the calling thread belongs to a transport and must never wait.
    public static boolean neverWaits() {
        return MARK.isBound() && !MARK.get().mayWait();
    }

    /// Refuses a blocking call on a thread of a transport.
    ///
    /// @param call the call that would wait, as `recv`
    /// @param instead the alternative that does not wait
    /// @throws IllegalStateException on a thread of a transport
    public static void refuseToWait(String call, String instead) {
        if (isCurrent()) {
            throw new IllegalStateException(call + " would block '"
                    + Thread.currentThread().getName()
                    + "', a transport thread on which this call itself may depend: " + instead
                    + ", or call it on another thread");
        }
    }

    /// Runs the release action of a tensor on a thread that it may block.
    public static void release(Runnable action) {
        if (action instanceof PromptRelease) {
            action.run();
        } else if (isCurrent()) {
            MARK.get().releases().execute(() -> runRelease(action));
        } else {
            runRelease(action);
        }
    }

    /// Logs exceptions of the action: the closing thread cannot handle them, and others may depend on its progress.
    private static void runRelease(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.error("the release action of a tensor threw", e);
        }
    }
}
