package io.tensorferry.grpc.peer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers calls so that whatever a handler meets becomes the call's status, and nothing escapes into gRPC.
public final class Responses {
    private static final Logger LOG = LoggerFactory.getLogger(Responses.class);

    private Responses() {}

    /// Answers with what `handler` returns or throws.
    public static <T> void answer(StreamObserver<T> response, Supplier<T> handler) {
        try {
            succeed(response, handler.get());
        } catch (RuntimeException e) {
            fail(response, e);
        }
    }

    /// A caller that has gone needs no answer.
    public static <T> void succeed(StreamObserver<T> response, T value) {
        if (response instanceof ServerCallStreamObserver<T> call && call.isCancelled()) {
            return;
        }
        response.onNext(value);
        response.onCompleted();
    }

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
