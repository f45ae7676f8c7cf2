package io.tensorferry.grpc.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.admission.Refusals;
import io.tensorferry.proto.ConfirmReadyRequest;
import io.tensorferry.proto.GetRemoteAddressRequest;
import io.tensorferry.proto.GetRemoteAddressResponse.Outcome;
import io.tensorferry.proto.VerbsServiceGrpc;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.OfferAnswer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VerbsServiceImplTest {
    private static final String SELF = "/job:worker/replica:0/task:0";
    private static final String PEER = "/job:worker/replica:0/task:1";

    private final Acceptor acceptor = new Acceptor();
    private Server server;
    private ManagedChannel channel;
    private VerbsServiceGrpc.VerbsServiceBlockingStub stub;

    /// Replaces the adapter: answers every offer with the offer itself.
    private static final class Acceptor implements EndpointAcceptor {
        final List<ConnectionParameters> offers = new ArrayList<>();
        final List<String> readies = new ArrayList<>();
        CompletableFuture<OfferAnswer> answer;

        @Override
        public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
            offers.add(offer);
            return answer != null ? answer : CompletableFuture.completedFuture(new OfferAnswer.Accepted(offer));
        }

        @Override
        public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
            readies.add(peer + " " + incarnation + " " + connectionId);
            return CompletableFuture.completedFuture(null);
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(new VerbsServiceImpl(
                        new Callers(SELF, Set.of(SELF, PEER), null, new Refusals(SELF, System::nanoTime)),
                        acceptor,
                        Runnable::run))
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
        stub = VerbsServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws InterruptedException {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }

    private static GetRemoteAddressRequest request(io.tensorferry.proto.ConnectionParameters offer) {
        return GetRemoteAddressRequest.newBuilder().setOffer(offer).build();
    }

    @Test
    void handsASoundOfferToTheAdapterAndItsAnswerBack() {
        ConnectionParameters offer = Offers.sound(PEER);

        var response = stub.getRemoteAddress(request(ConnectionParametersMapping.toProto(offer)));

        assertThat(acceptor.offers).containsExactly(offer);
        assertThat(response.getOutcome()).isEqualTo(Outcome.ACCEPTED);
        assertThat(ConnectionParametersMapping.fromProto(response.getAnswer())).isEqualTo(offer);
    }

    /// Like a peer of a version without pieces.
    @Test
    void whoSaysNothingOfPiecesServesNone() {
        var offer = ConnectionParametersMapping.toProto(Offers.sound(PEER)).toBuilder()
                .clearPiecesAtOnce();
        assertThat(ConnectionParametersMapping.fromProto(offer.build()).piecesAtOnce())
                .isZero();
    }

    @Test
    void tellsACallerToYield() {
        acceptor.answer = CompletableFuture.completedFuture(new OfferAnswer.Yield());

        var response = stub.getRemoteAddress(request(ConnectionParametersMapping.toProto(Offers.sound(PEER))));

        assertThat(response.getOutcome()).isEqualTo(Outcome.YIELD);
    }

    @Test
    void handsReadyToTheAdapter() {
        var ignored = stub.confirmReady(ConfirmReadyRequest.newBuilder()
                .setHostName(PEER)
                .setIncarnation(7)
                .setConnectionId(9)
                .build());

        assertThat(ignored).isNotNull();
        assertThat(acceptor.readies).containsExactly(PEER + " 7 9");
    }

    @Test
    void refusesStrangersAndWhoeverClaimsToBeThisWorker() {
        for (String name : List.of("/job:worker/replica:0/task:2", SELF, "x")) {
            assertCode(
                    () -> stub.getRemoteAddress(request(ConnectionParametersMapping.toProto(Offers.sound(name)))),
                    Status.Code.PERMISSION_DENIED);
            assertCode(
                    () -> stub.confirmReady(
                            ConfirmReadyRequest.newBuilder().setHostName(name).build()),
                    Status.Code.PERMISSION_DENIED);
        }
        assertThat(acceptor.offers).isEmpty();
        assertThat(acceptor.readies).isEmpty();
    }

    @Test
    void passesTheAdaptersFailureOnAndHidesNone() {
        acceptor.answer = CompletableFuture.failedFuture(new TransportException(StatusCode.RESOURCE_EXHAUSTED, "full"));
        var offer = request(ConnectionParametersMapping.toProto(Offers.sound(PEER)));
        assertCode(() -> stub.getRemoteAddress(offer), Status.Code.RESOURCE_EXHAUSTED);

        acceptor.answer = CompletableFuture.failedFuture(new IllegalStateException("a bug"));
        assertCode(() -> stub.getRemoteAddress(offer), Status.Code.INTERNAL);
    }

    @Test
    void answersEveryWrongValueWithInvalidArgument() {
        List<io.tensorferry.proto.ConnectionParameters> wrong = Offers.wrong(PEER);

        for (var offer : wrong) {
            assertCode(() -> stub.getRemoteAddress(request(offer)), Status.Code.INVALID_ARGUMENT);
        }
        assertThat(acceptor.offers).isEmpty();
    }

    @Test
    void survivesRandomBytes() {
        long seed = 20_260_101;
        var random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 2000; i++) {
            GetRemoteAddressRequest garbage = garbage(random);
            try {
                var response = stub.getRemoteAddress(garbage);
                assertThat(response.getOutcome())
                        .as("seed %d, round %d", seed, i)
                        .isEqualTo(Outcome.ACCEPTED);
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode())
                        .as("seed %d, round %d: %s", seed, i, e.getStatus())
                        .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.PERMISSION_DENIED, Status.Code.CANCELLED);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(500);
        assertStillServing(acceptor.offers.size());
    }

    private void assertStillServing(int offers) {
        var response = stub.getRemoteAddress(request(ConnectionParametersMapping.toProto(Offers.sound(PEER))));
        assertThat(response.getOutcome()).isEqualTo(Outcome.ACCEPTED);
        assertThat(acceptor.offers).hasSize(offers + 1);
    }

    /// A sound offer with some changed bytes, or random bytes.
    private static GetRemoteAddressRequest garbage(Random random) {
        while (true) {
            byte[] bytes = request(ConnectionParametersMapping.toProto(Offers.sound(PEER)))
                    .toByteArray();
            int changes = 1 + random.nextInt(8);
            for (int i = 0; i < changes; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                return GetRemoteAddressRequest.parseFrom(bytes);
            } catch (InvalidProtocolBufferException _) {
                // protobuf itself refuses these; the test needs bytes that it accepts.
            }
        }
    }

    private static void assertCode(ThrowingCallable call, Status.Code code) {
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
    }
}
