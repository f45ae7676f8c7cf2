package io.tensorferry.grpc.setup;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.peer.Responses;
import io.tensorferry.proto.ConfirmReadyRequest;
import io.tensorferry.proto.ConfirmReadyResponse;
import io.tensorferry.proto.GetRemoteAddressRequest;
import io.tensorferry.proto.GetRemoteAddressResponse;
import io.tensorferry.proto.GetRemoteAddressResponse.Outcome;
import io.tensorferry.proto.VerbsServiceGrpc;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.OfferAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/// Validates peers' offers of channels and passes them to the adapter. An invalid call from any caller only fails that
/// call.
///
/// Threading: gRPC's handler pool; never blocks.
public final class VerbsServiceImpl extends VerbsServiceGrpc.VerbsServiceImplBase {
    private final Callers callers;
    private final EndpointAcceptor acceptor;
    private final Executor handlers;

    /// @param acceptor may answer on the loop
    /// @param handlers sends the answers, because a call of gRPC takes locks and allocates, which the loop must not
    ///     wait for
    public VerbsServiceImpl(Callers callers, EndpointAcceptor acceptor, Executor handlers) {
        this.callers = callers;
        this.acceptor = acceptor;
        this.handlers = handlers;
    }

    @Override
    public void getRemoteAddress(GetRemoteAddressRequest request, StreamObserver<GetRemoteAddressResponse> response) {
        answer(response, () -> acceptor.onOffer(checkOffer(request)), VerbsServiceImpl::toProto);
    }

    @Override
    public void confirmReady(ConfirmReadyRequest request, StreamObserver<ConfirmReadyResponse> response) {
        answer(
                response,
                () -> {
                    callers.require(request.getHostName());
                    return acceptor.onReady(request.getHostName(), request.getIncarnation(), request.getConnectionId());
                },
                _ -> ConfirmReadyResponse.getDefaultInstance());
    }

    private ConnectionParameters checkOffer(GetRemoteAddressRequest request) {
        ConnectionParameters offer;
        try {
            offer = ConnectionParametersMapping.fromProto(request.getOffer());
        } catch (IllegalArgumentException e) {
            throw new TransportException(StatusCode.INVALID_ARGUMENT, "the offer is wrong: " + e.getMessage(), e);
        }
        callers.require(offer.hostName());
        return offer;
    }

    private static GetRemoteAddressResponse toProto(OfferAnswer answer) {
        return switch (answer) {
            case OfferAnswer.Accepted(ConnectionParameters parameters) ->
                GetRemoteAddressResponse.newBuilder()
                        .setOutcome(Outcome.ACCEPTED)
                        .setAnswer(ConnectionParametersMapping.toProto(parameters))
                        .build();
            case OfferAnswer.Yield() ->
                GetRemoteAddressResponse.newBuilder().setOutcome(Outcome.YIELD).build();
        };
    }

    private <R, T> void answer(
            StreamObserver<T> response, Supplier<CompletableFuture<R>> handler, Function<R, T> toProto) {
        // With a cancel handler, gRPC drops the answer to a cancelled call instead of throwing.
        ((ServerCallStreamObserver<T>) response).setOnCancelHandler(() -> {});
        CompletableFuture<T> answered;
        try {
            answered = handler.get().thenApply(toProto);
        } catch (RuntimeException e) {
            Responses.fail(response, e);
            return;
        }
        var _ = answered.whenCompleteAsync(
                (value, failure) -> {
                    if (failure != null) {
                        Responses.fail(response, failure);
                    } else {
                        Responses.succeed(response, value);
                    }
                },
                handlers);
    }
}
