package io.tensorferry.api;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Marks the threads of a transport. Others wait for them, so code of the user's must neither keep nor end them:
///
/// - a call that would wait there, in a callback on the loop, could wait for the very thread that it keeps, and is
///   refused;
/// - where such a thread closes the last handle of a tensor, the release action that the user gave runs elsewhere.
///
/// For implementers of transports.
///
/// Threading: any thread.
public final class TransportThread {
    private static final Logger LOG = LoggerFactory.getLogger(TransportThread.class);
    private static final ScopedValue<Mark> MARK = ScopedValue.newInstance();

    /// @param mayWait whether the thread may wait for memory
    /// @param releases runs release actions of users; it never rejects
    private record Mark(boolean mayWait, Executor releases) {}

    private TransportThread() {}

    /// The body of a thread that others wait for, and that never waits itself. Release actions of users run on virtual
    /// threads.
    public static Runnable neverWaiting(Runnable body) {
        return neverWaiting(TransportThread::startRelease, body);
    }

    /// The same; release actions of users run on `releases`, which never rejects.
    public static Runnable neverWaiting(Executor releases, Runnable body) {
        return marked(new Mark(false, releases), body);
    }

    /// Makes such threads.
    public static ThreadFactory neverWaiting(ThreadFactory threads) {
        return body -> threads.newThread(neverWaiting(body));
    }

    /// The body of a thread that does what takes long, and may wait for memory, but not for the transport. Release
    /// actions
    /// of users run on virtual threads.
    public static Runnable working(Runnable body) {
        return working(TransportThread::startRelease, body);
    }

    /// The same; release actions of users run on `releases`, which never rejects.
    public static Runnable working(Executor releases, Runnable body) {
        return marked(new Mark(true, releases), body);
    }

    private static Runnable marked(Mark mark, Runnable body) {
        return () -> ScopedValue.where(MARK, mark).run(body);
    }

    private static void startRelease(Runnable action) {
        Thread.ofVirtual().name("tensorferry-release").start(action);
    }

    /// Whether the calling thread is a transport's own.
    public static boolean isCurrent() {
        return MARK.isBound();
    }

    /// Whether the calling thread is one that never waits.
    public static boolean neverWaits() {
        return MARK.isBound() && !MARK.get().mayWait();
    }

    /// @param call what would wait, as `recv`
    /// @param instead what does not
    /// @throws IllegalStateException on a thread of a transport
    public static void refuseToWait(String call, String instead) {
        if (isCurrent()) {
            throw new IllegalStateException(call + " would wait on '"
                    + Thread.currentThread().getName()
                    + "', a thread of the transport that others wait for, perhaps this call too: " + instead
                    + ", or call it on another thread");
        }
    }

    /// Runs the release action of a tensor where it may run.
    static void release(Runnable action) {
        if (action instanceof PromptRelease) {
            action.run();
        } else if (isCurrent()) {
            MARK.get().releases().execute(() -> runRelease(action));
        } else {
            runRelease(action);
        }
    }

    /// What the action throws is nothing that the closer can mend, and others may wait for what it does next.
    private static void runRelease(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.error("the release action of a tensor threw", e);
        }
    }
}
