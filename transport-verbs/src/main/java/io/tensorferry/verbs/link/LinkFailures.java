package io.tensorferry.verbs.link;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.VerbsException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Creates the failures given to waiters for a channel to one peer, and to that peer's offers.
///
/// @param peer the other worker
/// @param workerName this worker
record LinkFailures(String peer, String workerName) {
    /// A set-up step threw. Invalid parameters stay invalid; a refusal of the device may be temporary.
    TransportException ofSetUp(String what, Throwable e) {
        if (e instanceof TransportException known) {
            return known;
        }
        StatusCode code = StatusCode.UNAVAILABLE;
        int errno = 0;
        if (e instanceof IllegalArgumentException) {
            code = StatusCode.FAILED_PRECONDITION;
        } else if (e instanceof VerbsException refused) {
            errno = refused.errno();
            if (errno == VerbsException.ENOMEM) {
                code = StatusCode.RESOURCE_EXHAUSTED;
            } else if (errno == VerbsException.EINVAL) {
                code = StatusCode.FAILED_PRECONDITION;
            }
        }
        return new TransportException(code, what + ": " + e.getMessage(), peer, errno, e);
    }

    /// A call of the exchange failed.
    TransportException ofCall(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof TransportException known ? known : unavailable("the exchange failed: " + cause, cause);
    }

    TransportException unavailable(String what, @Nullable Throwable cause) {
        return new TransportException(StatusCode.UNAVAILABLE, what, peer, 0, cause);
    }

    /// @param obstacle the latest obstacle, if known
    TransportException noChannel(String what, @Nullable TransportException obstacle) {
        return new TransportException(
                StatusCode.UNAVAILABLE,
                what + (obstacle == null ? "" : ": " + obstacle.reason()),
                peer,
                obstacle == null ? 0 : obstacle.errno(),
                obstacle == null ? null : obstacle.verbsStatus(),
                obstacle);
    }

    /// The failure of a channel that the peer has replaced.
    TransportException replaced(boolean restarted) {
        return restarted
                ? new TransportException(StatusCode.ABORTED, "the peer was restarted", peer, 0, null)
                : unavailable("the peer set up a new channel", null);
    }

    /// The failure of an offer that is not answered because of another offer.
    TransportException overtaken(String why) {
        return new TransportException(StatusCode.ABORTED, why, workerName, 0, null);
    }

    TransportException stopped() {
        return unavailable("the transport of " + workerName + " is stopped", null);
    }

    /// Whether a retry may succeed.
    static boolean isRetryable(TransportException cause) {
        return cause.code() == StatusCode.UNAVAILABLE
                || cause.code() == StatusCode.DEADLINE_EXCEEDED
                || cause.code() == StatusCode.ABORTED;
    }
}
