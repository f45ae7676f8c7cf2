package io.tensorferry.grpc.peer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers calls so that every failure of a handler becomes the status of its call and none propagates into gRPC.
public final class Responses {
    private static final Logger LOG = LoggerFactory.getLogger(Responses.class);

    private Responses() {}

    /// Completes the call with the value that `handler` returns, or with the status of the failure that it throws.
    public static <T> void answer(StreamObserver<T> response, Supplier<T> handler) {
        try {
            succeed(response, handler.get());
        } catch (RuntimeException e) {
            fail(response, e);
        }
    }

    /// Completes the call with `value`; does nothing if the caller has cancelled it.
    public static <T> void succeed(StreamObserver<T> response, T value) {
        if (response instanceof ServerCallStreamObserver<T> call && call.isCancelled()) {
            return;
        }
        response.onNext(value);
        response.onCompleted();
    }

    /// Ends the call with the status of `failure`; a failure that is not a [TransportException] becomes `INTERNAL`.
    public static void fail(StreamObserver<?> response, Throwable failure) {
        switch (failure) {
            case CompletionException wrapped when wrapped.getCause() != null -> fail(response, wrapped.getCause());
            case TransportException known -> response.onError(GrpcStatus.toGrpc(known));
            default -> {
                LOG.warn("a handler failed", failure);
                response.onError(GrpcStatus.toGrpc(StatusCode.INTERNAL, "the handler failed: " + failure));
            }
        }
    }
}
