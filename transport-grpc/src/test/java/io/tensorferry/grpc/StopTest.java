package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract of `stop(grace)`.
@Timeout(90)
class StopTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int BIG = 192 << 20;

    private final TestCluster cluster = new TestCluster(2);

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void start(String protocol) throws InterruptedException {
        for (int task = 0; task < 2; task++) {
            cluster.add(cluster.builder(task).protocol(protocol).start());
        }
        cluster.server(1).awaitPeers(SOON);
    }

    private static Tensor filled(TransportServer server, int bytes) {
        Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(bytes));
        for (long at = 0; at < bytes; at += 4096) {
            tensor.segment().set(ValueLayout.JAVA_BYTE, at, (byte) (at >> 12));
        }
        return tensor;
    }

    private static void assertFilled(Tensor tensor, int bytes) {
        assertThat(tensor.segment().byteSize()).isEqualTo(bytes);
        for (long at = 0; at < bytes; at += 4096) {
            if (tensor.segment().get(ValueLayout.JAVA_BYTE, at) != (byte) (at >> 12)) {
                throw new AssertionError("wrong content at " + at);
            }
        }
    }

    @Test
    void aContentThatIsBeingWrittenArrivesWholeByRdma() throws Exception {
        start(ServerConfig.GRPC_VERBS);
        TransportServer producer = cluster.server(0);
        TransportServer consumer = cluster.server(1);
        RendezvousKey key = TestCluster.key(producer, consumer, "big");
        producer.rendezvous(1).send(key, filled(producer, BIG));
        CompletableFuture<RecvResult> received = consumer.rendezvous(1).recvAsync(key);
        // The tensor was there before its request: a response that exists has taken it.
        while (producer.statistics().verbs().pendingResponses() == 0 && !received.isDone()) {
            LockSupport.parkNanos(10_000);
        }
        boolean underWay = !received.isDone();

        producer.stop(Duration.ofSeconds(30));

        assertThat(underWay).as("stopped in the midst of the content").isTrue();
        try (Tensor tensor = received.get(20, TimeUnit.SECONDS).tensorOrThrow()) {
            assertFilled(tensor, BIG);
        }
    }

    /// A consumer that reads its call as slowly as a test wants.
    private static final class SlowReader extends ClientCall.Listener<RecvTensorChunk> {
        final CountDownLatch header = new CountDownLatch(1);
        final CompletableFuture<Status> end = new CompletableFuture<>();
        final AtomicLong bytes = new AtomicLong();
        final ClientCall<RecvTensorRequest, RecvTensorChunk> call;

        SlowReader(ManagedChannel channel, RecvTensorRequest request) {
            call = channel.newCall(TensorServiceGrpc.getRecvTensorMethod(), CallOptions.DEFAULT);
            call.start(this, new Metadata());
            call.sendMessage(request);
            call.halfClose();
            call.request(1);
        }

        @Override
        public void onMessage(RecvTensorChunk chunk) {
            if (chunk.hasHeader()) {
                header.countDown();
            }
            bytes.addAndGet(chunk.getContent().size());
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            end.complete(status);
        }
    }

    private SlowReader readSlowly(ManagedChannel channel, RendezvousKey key) throws InterruptedException {
        var reader = new SlowReader(
                channel,
                RecvTensorRequest.newBuilder()
                        .setStepId(1)
                        .setRendezvousKey(key.toString())
                        .setHostName(TestAuthority.worker(1))
                        .setIncarnation(1)
                        .build());
        assertThat(reader.header.await(20, TimeUnit.SECONDS)).isTrue();
        return reader;
    }

    private ManagedChannel dial() {
        return NettyChannelBuilder.forTarget("dns:///" + cluster.spec.address("worker", 0))
                .usePlaintext()
                .build();
    }

    @Test
    void aContentThatIsBeingReadArrivesWholeOverGrpc() throws Exception {
        start(ServerConfig.GRPC);
        TransportServer producer = cluster.server(0);
        RendezvousKey key = TestCluster.key(producer, cluster.server(1), "big");
        producer.rendezvous(1).send(key, filled(producer, BIG));
        ManagedChannel channel = dial();
        try {
            SlowReader reader = readSlowly(channel, key);
            Thread stopping = Thread.ofPlatform().daemon().start(() -> producer.stop(Duration.ofSeconds(30)));
            while (isServing(producer)) {
                Thread.sleep(5);
            }
            assertThat(reader.end).isNotDone();

            reader.call.request(1 << 20);

            Status end = reader.end.get(30, TimeUnit.SECONDS);
            assertThat(end.getCode()).as(end.toString()).isEqualTo(Status.Code.OK);
            assertThat(reader.bytes).hasValue(BIG);
            assertThat(stopping.join(SOON))
                    .as("stopped as soon as it had arrived")
                    .isTrue();
        } finally {
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static boolean isServing(TransportServer server) {
        try {
            return server.rendezvous(99) != null;
        } catch (TransportException _) {
            return false;
        }
    }

    @Test
    void aReaderThatDoesNotReadIsCutOffWhenTheGraceIsOver() throws Exception {
        start(ServerConfig.GRPC);
        TransportServer producer = cluster.server(0);
        RendezvousKey key = TestCluster.key(producer, cluster.server(1), "big");
        Tensor tensor = filled(producer, BIG);
        // Closed when the memory is given back.
        producer.rendezvous(1)
                .send(key, Tensor.wrap(tensor.dataType(), tensor.shape(), tensor.segment(), tensor::close));
        ManagedChannel channel = dial();
        try {
            SlowReader reader = readSlowly(channel, key);
            long start = System.nanoTime();

            producer.stop(Duration.ofMillis(500));

            long took = System.nanoTime() - start;
            assertThat(took)
                    .isBetween(
                            Duration.ofMillis(500).toNanos(),
                            Duration.ofMillis(5500).toNanos());
            // The received bytes are read; the end follows.
            reader.call.request(1 << 20);
            assertThat(reader.end.get(20, TimeUnit.SECONDS).getCode())
                    .as("made by gRPC itself, so UNAVAILABLE to a worker")
                    .isIn(Status.Code.UNAVAILABLE, Status.Code.CANCELLED);
            assertThat(reader.bytes.get()).isLessThan(BIG);
            assertThat(tensor.isClosed()).isTrue();
        } finally {
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void whatWaitsForATensorDoesNotHoldTheStopUp(String protocol) throws Exception {
        start(protocol);
        TransportServer stopped = cluster.server(0);
        TransportServer peer = cluster.server(1);
        peer.rendezvous(1).send(TestCluster.key(peer, stopped, "first"), filled(peer, 4096));
        stopped.rendezvous(1)
                .recvAsync(TestCluster.key(peer, stopped, "first"))
                .get(20, TimeUnit.SECONDS)
                .tensorOrThrow()
                .close();
        var own = stopped.rendezvous(1).recvAsync(TestCluster.key(peer, stopped, "never"));
        var theirs = peer.rendezvous(1).recvAsync(TestCluster.key(stopped, peer, "never"));
        long start = System.nanoTime();

        stopped.stop(Duration.ofSeconds(20));

        assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(10).toNanos());
        assertThat(codeOf(own)).isEqualTo(StatusCode.ABORTED);
        assertThat(codeOf(theirs)).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
    }

    private static StatusCode codeOf(CompletableFuture<RecvResult> receive) throws Exception {
        return receive.<StatusCode>handle((_, failure) -> ((TransportException) failure).code())
                .get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void nothingNewIsServedOnceItStops(String protocol) throws Exception {
        start(protocol);
        TransportServer stopped = cluster.server(0);
        var rendezvous = stopped.rendezvous(1);
        RendezvousKey key = TestCluster.key(stopped, cluster.server(1), "late");

        stopped.stop(Duration.ofSeconds(5));

        Tensor tensor = stopped.protocol().equals(ServerConfig.GRPC) ? filled(stopped, 1) : null;
        if (tensor != null) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> rendezvous.send(key, tensor))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.ABORTED));
            tensor.close();
        }
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> stopped.rendezvous(2))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE));
        var late = cluster.server(1).rendezvous(1).recvAsync(key);
        assertThat(codeOf(late)).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
    }

    @Test
    void aCallbackThatDoesNotEndIsInterruptedWhenTheGraceIsOver() throws Exception {
        start(ServerConfig.GRPC);
        TransportServer stopped = cluster.server(0);
        var interrupted = new CompletableFuture<Boolean>();
        stopped.rendezvous(1).recvAsync(TestCluster.key(cluster.server(1), stopped, "never"), _ -> {
            try {
                Thread.sleep(SOON.multipliedBy(3));
                interrupted.complete(false);
            } catch (InterruptedException _) {
                interrupted.complete(true);
            }
        });
        long start = System.nanoTime();

        stopped.stop(Duration.ofMillis(300));

        assertThat(System.nanoTime() - start).isLessThan(Duration.ofMillis(5300).toNanos());
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
    }
}
