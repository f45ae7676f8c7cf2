package io.tensorferry.api;

import org.jspecify.annotations.Nullable;

/// A failed operation of the transport: a canonical code, a message, and, where they are known, the peer and the
/// operating system's error number.
///
/// Immutable; may be handed between threads. The same object is given to every receive that one event ended, so do
/// not add suppressed exceptions to it.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StatusCode code;
    private final @Nullable String peer;
    private final int errno;

    public TransportException(StatusCode code, String message) {
        this(code, message, null, 0, null);
    }

    public TransportException(StatusCode code, String message, @Nullable Throwable cause) {
        this(code, message, null, 0, cause);
    }

    /// @param peer the other worker, as `/job:worker/replica:0/task:1`, or null where none is concerned
    /// @param errno the system's error number, or 0 where no system call failed
    public TransportException(
            StatusCode code, String message, @Nullable String peer, int errno, @Nullable Throwable cause) {
        super(describe(code, message, peer, errno), cause);
        this.code = code;
        this.peer = peer;
        this.errno = errno;
    }

    private static String describe(StatusCode code, String message, @Nullable String peer, int errno) {
        var text = new StringBuilder(code.name()).append(": ").append(message);
        if (peer != null) {
            text.append(" [peer ").append(peer).append(']');
        }
        if (errno != 0) {
            text.append(" [errno ").append(errno).append(']');
        }
        return text.toString();
    }

    public StatusCode code() {
        return code;
    }

    /// The worker at the other end, or null where the failure concerns none.
    public @Nullable String peer() {
        return peer;
    }

    /// The operating system's error number, or 0.
    public int errno() {
        return errno;
    }
}
