package io.tensorferry.grpc.setup;

import io.grpc.stub.StreamObserver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.peer.GrpcStatus;
import io.tensorferry.grpc.peer.PeerChannels;
import io.tensorferry.grpc.peer.UnaryAnswer;
import io.tensorferry.proto.ConfirmReadyRequest;
import io.tensorferry.proto.ConfirmReadyResponse;
import io.tensorferry.proto.GetRemoteAddressRequest;
import io.tensorferry.proto.GetRemoteAddressResponse;
import io.tensorferry.proto.VerbsServiceGrpc;
import io.tensorferry.proto.VerbsServiceGrpc.VerbsServiceStub;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.link.EndpointExchange;
import io.tensorferry.verbs.link.OfferAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

/// Sends offers and confirmations of channels to a peer's [VerbsServiceImpl]. Each call waits for a peer that has not
/// started yet, and has a deadline from the time it is connected.
///
/// Threading: any thread.
public final class GrpcEndpointExchange implements EndpointExchange {
    private final PeerChannels peers;

    public GrpcEndpointExchange(PeerChannels peers) {
        this.peers = peers;
    }

    @Override
    public CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer) {
        var request = GetRemoteAddressRequest.newBuilder()
                .setOffer(ConnectionParametersMapping.toProto(offer))
                .build();
        return this.<GetRemoteAddressResponse, OfferAnswer>call(
                "the offer of a channel",
                peer,
                (stub, answer) -> stub.getRemoteAddress(request, answer),
                answer -> check(peer, offer, answer));
    }

    @Override
    public CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId) {
        var request = ConfirmReadyRequest.newBuilder()
                .setHostName(self)
                .setIncarnation(incarnation)
                .setConnectionId(connectionId)
                .build();
        return this.<ConfirmReadyResponse, Boolean>call(
                        "the confirmation of a channel",
                        peer,
                        (stub, answer) -> stub.confirmReady(request, answer),
                        _ -> true)
                .thenAccept(_ -> {});
    }

    private <T, R> CompletableFuture<R> call(
            String what, String peer, BiConsumer<VerbsServiceStub, StreamObserver<T>> method, Function<T, R> check) {
        return peers.whenReady(peer)
                .thenComposeAsync(
                        channel -> {
                            var answer = new UnaryAnswer<T>();
                            long deadline = peers.timeouts().call().toNanos();
                            method.accept(
                                    VerbsServiceGrpc.newStub(channel.grpc())
                                            .withDeadlineAfter(deadline, TimeUnit.NANOSECONDS),
                                    answer);
                            return answer.future();
                        },
                        peers::offLoop)
                .thenApply(check)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(GrpcStatus.fromGrpc(what, peer, failure)));
    }

    private static OfferAnswer check(String peer, ConnectionParameters offer, GetRemoteAddressResponse answer) {
        return switch (answer.getOutcome()) {
            case ACCEPTED -> new OfferAnswer.Accepted(checkAccepted(peer, offer, answer));
            case YIELD -> new OfferAnswer.Yield();
            case OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                throw refuse(peer, "its outcome is " + answer.getOutcomeValue() + ", which this version does not know");
        };
    }

    private static ConnectionParameters checkAccepted(
            String peer, ConnectionParameters offer, GetRemoteAddressResponse answer) {
        ConnectionParameters accepted;
        try {
            accepted = ConnectionParametersMapping.fromProto(answer.getAnswer());
        } catch (IllegalArgumentException e) {
            throw refuse(peer, String.valueOf(e.getMessage()));
        }
        if (!accepted.hostName().equals(peer)) {
            throw refuse(peer, "it comes from '" + accepted.hostName() + "'");
        }
        if (accepted.connectionId() != offer.connectionId()) {
            throw refuse(peer, "it answers another offer");
        }
        return accepted;
    }

    private static TransportException refuse(String peer, String why) {
        return new TransportException(
                StatusCode.FAILED_PRECONDITION, "the answer to the offer of a channel is wrong: " + why, peer, 0, null);
    }
}
