package io.tensorferry.api;

import org.jspecify.annotations.Nullable;

/// Reports the failure of a transport operation: a canonical code, a message, and, where known, the peer, the operating
/// system's error number and the RDMA device's status.
///
/// Immutable; safe to share between threads. One event may fail several receives with the same object, so do not add
/// suppressed exceptions to it.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StatusCode code;
    private final String reason;
    private final @Nullable String peer;
    private final int errno;
    private final @Nullable String verbsStatus;

    /// @param code the canonical code
    /// @param message the reason, without the code
    public TransportException(StatusCode code, String message) {
        this(code, message, null, 0, null);
    }

    /// @param code the canonical code
    /// @param message the reason, without the code
    /// @param cause the underlying failure, or null
    public TransportException(StatusCode code, String message, @Nullable Throwable cause) {
        this(code, message, null, 0, cause);
    }

    /// @param code the canonical code
    /// @param message the reason, without the code
    /// @param peer the other worker, as `/job:worker/replica:0/task:1`, or null if none is involved
    /// @param errno the operating system's error number, or 0 if no system call failed
    /// @param cause the underlying failure, or null
    public TransportException(
            StatusCode code, String message, @Nullable String peer, int errno, @Nullable Throwable cause) {
        this(code, message, peer, errno, null, cause);
    }

    /// @param code the canonical code
    /// @param message the reason, without the code
    /// @param peer the other worker, as `/job:worker/replica:0/task:1`, or null if none is involved
    /// @param errno the operating system's error number, or 0 if no system call failed
    /// @param verbsStatus the RDMA device's status, as `RETRY_EXC_ERR, vendor error 0x81`, or null if the device
    ///     reported none
    /// @param cause the underlying failure, or null
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

    /// The message without the code, peer and details that [#getMessage()] adds. Use it inside the message of another
    /// failure that carries its own code and peer.
    public String reason() {
        return reason;
    }

    /// The reason followed by the errno and the verbs status. Use it in a message to a peer that carries the code
    /// separately.
    public String reasonWithDetails() {
        return reason + details(errno, verbsStatus);
    }

    /// Wraps this failure with context: the reason becomes `what: reason`, and this failure becomes the cause.
    ///
    /// @param what the operation that failed
    /// @param peer the other worker, used if this failure names none; may be null
    public TransportException within(String what, @Nullable String peer) {
        return new TransportException(
                code, what + ": " + reason, this.peer == null ? peer : this.peer, errno, verbsStatus, this);
    }

    /// The canonical code.
    public StatusCode code() {
        return code;
    }

    /// The other worker, as `/job:worker/replica:0/task:1`, or null if the failure involves none.
    public @Nullable String peer() {
        return peer;
    }

    /// The operating system's error number, or 0 if no system call failed.
    public int errno() {
        return errno;
    }

    /// The RDMA device's status by its verbs name, or null if no device is involved.
    ///
    /// This is the status of a work completion with the vendor's error number, as `REM_ACCESS_ERR, vendor error 0x88`,
    /// or an asynchronous event, as `QP_FATAL`.
    public @Nullable String verbsStatus() {
        return verbsStatus;
    }
}
