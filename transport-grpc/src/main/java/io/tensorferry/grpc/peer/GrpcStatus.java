package io.tensorferry.grpc.peer;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Failures between gRPC's vocabulary and the API's. The codes have the same numbers.
///
/// A status that a peer's handler chose is marked in the trailers. A status without the mark was made by gRPC
/// itself, on either side, and says only that the call did not come through: its `CANCELLED` is not ours, so it
/// becomes `UNAVAILABLE`.
public final class GrpcStatus {
    private static final Metadata.Key<String> CHOSEN =
            Metadata.Key.of("tensorferry-status", Metadata.ASCII_STRING_MARSHALLER);
    private static final int MAX_MESSAGE = 2048;

    private GrpcStatus() {}

    /// What a handler answers with.
    public static StatusRuntimeException toGrpc(TransportException failure) {
        return toGrpc(failure.code(), failure.reasonWithDetails());
    }

    public static StatusRuntimeException toGrpc(StatusCode code, String message) {
        var trailers = new Metadata();
        trailers.put(CHOSEN, "1");
        // Trailers that are too long are refused by the other side, and with them the status.
        String shortened = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "..." : message;
        return Status.fromCodeValue(code.number()).withDescription(shortened).asRuntimeException(trailers);
    }

    /// What a caller makes of a call's end.
    public static TransportException fromGrpc(String what, String peer, Status status, @Nullable Metadata trailers) {
        String description = status.getDescription();
        boolean chosen = trailers != null && trailers.containsKey(CHOSEN);
        StatusCode code = StatusCode.ofNumber(status.getCode().value());
        if (!chosen && code == StatusCode.CANCELLED) {
            code = StatusCode.UNAVAILABLE;
        }
        String reason = description == null ? status.getCode().name() : description;
        return new TransportException(code, what + ": " + reason, peer, 0, status.getCause());
    }

    /// The same for a failure that a stub throws or hands over.
    public static TransportException fromGrpc(String what, String peer, Throwable failure) {
        return switch (failure) {
            case TransportException known -> known;
            case CompletionException wrapped
            when wrapped.getCause() != null -> fromGrpc(what, peer, wrapped.getCause());
            case StatusRuntimeException status -> fromGrpc(what, peer, status.getStatus(), status.getTrailers());
            case StatusException status -> fromGrpc(what, peer, status.getStatus(), status.getTrailers());
            default ->
                new TransportException(StatusCode.INTERNAL, what + ": " + failure.getMessage(), peer, 0, failure);
        };
    }
}
