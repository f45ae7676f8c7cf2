package io.tensorferry.api;

import java.util.concurrent.ThreadFactory;

/// Marks the threads of a transport that run code of the user's now and then, such as a callback on the loop: a call
/// that would wait there could wait for the very thread that it keeps, and is refused.
///
/// Threading: any thread.
public final class TransportThread {
    /// Whether the thread may wait for memory.
    private static final ScopedValue<Boolean> MAY_WAIT = ScopedValue.newInstance();

    private TransportThread() {}

    /// The body of a thread that others wait for, and that never waits itself.
    public static Runnable neverWaiting(Runnable body) {
        return marked(body, false);
    }

    /// Makes such threads.
    public static ThreadFactory neverWaiting(ThreadFactory threads) {
        return body -> threads.newThread(neverWaiting(body));
    }

    /// The body of a thread that does what takes long, and may wait for memory, but not for the transport.
    public static Runnable working(Runnable body) {
        return marked(body, true);
    }

    private static Runnable marked(Runnable body, boolean mayWait) {
        return () -> ScopedValue.where(MAY_WAIT, mayWait).run(body);
    }

    /// Whether the calling thread is a transport's own.
    public static boolean isCurrent() {
        return MAY_WAIT.isBound();
    }

    /// Whether the calling thread is one that never waits.
    public static boolean neverWaits() {
        return MAY_WAIT.isBound() && !MAY_WAIT.get();
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
}
