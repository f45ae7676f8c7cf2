package io.tensorferry.grpc.peer;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Exposes the response of a unary call as a future.
///
/// Threading: gRPC serialises its calls.
public final class UnaryAnswer<T> implements StreamObserver<T> {
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private @Nullable T value;

    public CompletableFuture<T> future() {
        return future;
    }

    @Override
    public void onNext(T response) {
        value = response;
    }

    @Override
    public void onError(Throwable failure) {
        future.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        if (value == null) {
            future.completeExceptionally(new IllegalStateException("the call ended without an answer"));
        } else {
            future.complete(value);
        }
    }
}
