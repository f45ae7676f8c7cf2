package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A [StreamedRequest] that was sent on a channel before: it receives the tensor that was taken for it there. If none
/// was taken, it is a new request.
///
/// Threading: any thread; the loop looks up the response.
final class SentRequestClaim implements StreamedRequest {
    private final Executor loop;
    private final Supplier<@Nullable TensorResponse> kept;
    private final Supplier<StreamedRequest> asNew;
    // Guarded by this: the peer no longer waits; the loop has begun the look-up; the new request that waits in the
    // table.
    private boolean unwanted;
    private boolean begun;
    private @Nullable StreamedRequest instead;

    /// @param loop runs a command on the loop once the state of the request is final
    /// @param kept returns the remaining response, or null; on the loop. It throws a [TransportException] if the
    ///     request cannot continue
    /// @param asNew creates the same request as a new request. It may throw a [TransportException]
    SentRequestClaim(Executor loop, Supplier<@Nullable TensorResponse> kept, Supplier<StreamedRequest> asNew) {
        this.loop = loop;
        this.kept = kept;
        this.asNew = asNew;
    }

    @Override
    public void take(Taker taker) {
        loop.execute(() -> {
            try {
                find(taker);
            } catch (TransportException | ProtocolViolationException e) {
                taker.done(new RecvResult.Failed(asFailure(e)));
            }
        });
    }

    private static TransportException asFailure(RuntimeException e) {
        return e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INVALID_ARGUMENT, "the request is invalid: " + e.getMessage(), e);
    }

    private void find(Taker taker) {
        boolean wanted = begin();
        TensorResponse response = kept.get();
        if (!wanted) {
            if (response != null) {
                response.onNotReplayed();
            }
        } else if (response != null) {
            response.handOver(taker);
        } else {
            StreamedRequest request = asNew.get();
            waitInstead(request);
            request.take(taker);
            // Given up while the request was being added to the table: the give-up found nothing there.
            if (isUnwanted() && request.giveUp()) {
                taker.done(new RecvResult.Failed(
                        new TransportException(StatusCode.CANCELLED, "the request was given up by its receiver")));
            }
        }
    }

    private synchronized boolean begin() {
        begun = true;
        return !unwanted;
    }

    private synchronized void waitInstead(StreamedRequest request) {
        instead = request;
    }

    private synchronized boolean isUnwanted() {
        return unwanted;
    }

    @Override
    public boolean giveUp() {
        StreamedRequest waiting;
        synchronized (this) {
            unwanted = true;
            waiting = instead;
            if (!begun) {
                return true;
            }
        }
        return waiting != null && waiting.giveUp();
    }

    @Override
    public void end() {
        StreamedRequest waiting;
        synchronized (this) {
            waiting = instead;
        }
        if (waiting != null) {
            waiting.end();
        }
    }
}
