package io.tensorferry.api;

import org.jspecify.annotations.Nullable;

/// A failed operation of the transport: a canonical code, a message, and, where they are known, the peer, the
/// operating system's error number and what the RDMA device said.
///
/// Immutable; may be handed between threads. The same object is given to every receive that one event ended, so do
/// not add suppressed exceptions to it.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StatusCode code;
    private final String reason;
    private final @Nullable String peer;
    private final int errno;
    private final @Nullable String verbsStatus;

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
        this(code, message, peer, errno, null, cause);
    }

    /// @param peer the other worker, as `/job:worker/replica:0/task:1`, or null where none is concerned
    /// @param errno the system's error number, or 0 where no system call failed
    /// @param verbsStatus what the device said, as `RETRY_EXC_ERR, vendor error 0x81`, or null where it said nothing
    public TransportException(
            StatusCode code,
            String message,
            @Nullable String peer,
            int errno,
            @Nullable String verbsStatus,
            @Nullable Throwable cause) {
        super(describe(code, message, peer, errno, verbsStatus), cause);
        this.code = code;
        this.reason = message;
        this.peer = peer;
        this.errno = errno;
        this.verbsStatus = verbsStatus;
    }

    private static String describe(
            StatusCode code, String message, @Nullable String peer, int errno, @Nullable String verbsStatus) {
        return code.name() + ": " + message + (peer == null ? "" : " [peer " + peer + "]")
                + details(errno, verbsStatus);
    }

    private static String details(int errno, @Nullable String verbsStatus) {
        return (errno == 0 ? "" : " [errno " + errno + "]")
                + (verbsStatus == null ? "" : " [verbs " + verbsStatus + "]");
    }

    /// What went wrong, in words: the message alone, which [#getMessage()] precedes with the code, and follows with
    /// what else is known. It belongs into the message of another failure, which says its code and peer by itself.
    public String reason() {
        return reason;
    }

    /// The reason with what the system and the device said, for a message to a peer: it carries the code beside it.
    public String reasonWithDetails() {
        return reason + details(errno, verbsStatus);
    }

    /// The same failure told by somebody else: the reason becomes `what: reason`, and this one the cause.
    ///
    /// @param what was being done
    /// @param peer the other worker where this one does not know it, or null
    public TransportException within(String what, @Nullable String peer) {
        return new TransportException(
                code, what + ": " + reason, this.peer == null ? peer : this.peer, errno, verbsStatus, this);
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

    /// What the RDMA device said of the failure, by the verbs' own names, or null where no device is concerned: the
    /// status of a work completion with the vendor's error number, as `REM_ACCESS_ERR, vendor error 0x88`, or an
    /// asynchronous event, as `QP_FATAL`.
    public @Nullable String verbsStatus() {
        return verbsStatus;
    }
}
