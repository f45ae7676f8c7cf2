package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorHeader;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.proto.TensorShapeProto;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A worker whose peer breaks the protocol or dies: each receive ends with a status, and no tensor is lost.
@Timeout(60)
class UnfaithfulProducerTest {
    private static final int FLOAT = 1;

    private final TestCluster cluster = new TestCluster(2);
    private final BlockingQueue<StreamObserver<RecvTensorChunk>> calls = new LinkedBlockingQueue<>();
    private TransportServer receiver;
    private Server peer;

    @BeforeEach
    void start() throws Exception {
        receiver = cluster.start(0);
        var address = new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                cluster.spec.addressOf("worker", 1).port());
        peer = NettyServerBuilder.forAddress(address)
                .addService(new TensorServiceGrpc.TensorServiceImplBase() {
                    @Override
                    public void recvTensor(RecvTensorRequest request, StreamObserver<RecvTensorChunk> response) {
                        calls.add(response);
                    }
                })
                .build()
                .start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        peer.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        cluster.close();
        assertThat(Tensor.leakedHandleCount()).isZero();
    }

    private CompletableFuture<RecvResult> receive() {
        var key = RendezvousKey.of(new DeviceName("worker", 0, 1, "CPU", 0), receiver.deviceName(0), "edge");
        return receiver.rendezvous(1).recvAsync(key);
    }

    private StreamObserver<RecvTensorChunk> call() throws InterruptedException {
        return calls.poll(20, TimeUnit.SECONDS);
    }

    private static RecvTensorChunk header(long bytes, long elements) {
        return RecvTensorChunk.newBuilder()
                .setHeader(TensorHeader.newBuilder()
                        .setDtype(FLOAT)
                        .setShape(TensorShapeProto.newBuilder().addDim(elements))
                        .setTensorBytes(bytes))
                .build();
    }

    private static RecvTensorChunk content(int bytes) {
        return RecvTensorChunk.newBuilder()
                .setContent(ByteString.copyFrom(new byte[bytes]))
                .build();
    }

    private void assertFails(CompletableFuture<RecvResult> receive, StatusCode code) throws Exception {
        var failure = receive.<Throwable>handle((_, cause) -> cause).get(20, TimeUnit.SECONDS);
        assertThat(failure).isInstanceOfSatisfying(TransportException.class, cause -> {
            assertThat(cause.code()).isEqualTo(code);
            assertThat(cause.peer()).isEqualTo("/job:worker/replica:0/task:1");
        });
        assertThat(receiver.statistics().pendingReceives()).isZero();
    }

    @Test
    void tooFewBytesAreALossOfData() throws Exception {
        var receive = receive();
        var call = call();
        call.onNext(header(16, 4));
        call.onNext(content(15));
        call.onCompleted();

        assertFails(receive, StatusCode.DATA_LOSS);
    }

    @Test
    void tooManyBytesAreALossOfData() throws Exception {
        var receive = receive();
        var call = call();
        call.onNext(header(16, 4));
        call.onNext(content(17));

        assertFails(receive, StatusCode.DATA_LOSS);
    }

    @Test
    void aSizeThatTheShapeContradictsIsALossOfData() throws Exception {
        var receive = receive();
        call().onNext(header(16, 5));

        assertFails(receive, StatusCode.DATA_LOSS);
    }

    @Test
    void contentWithoutAHeaderAndACallWithoutAnythingAreLossesOfData() throws Exception {
        var first = receive();
        call().onNext(content(1));
        assertFails(first, StatusCode.DATA_LOSS);

        var second = receive();
        call().onCompleted();
        assertFails(second, StatusCode.DATA_LOSS);

        var third = receive();
        call().onNext(RecvTensorChunk.getDefaultInstance());
        assertFails(third, StatusCode.DATA_LOSS);
    }

    @Test
    void aTensorThatFitsNowhereExhaustsResourcesAndKillsNobody() throws Exception {
        var receive = receive();
        call().onNext(header(1L << 60, 1L << 58));

        assertFails(receive, StatusCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void aPeerThatCancelsTheCallIsUnavailable() throws Exception {
        var receive = receive();
        var call = call();
        call.onNext(header(16, 4));
        call.onError(Status.CANCELLED.asRuntimeException());

        assertFails(receive, StatusCode.UNAVAILABLE);
    }

    @Test
    void aPeerThatDiesInMidTransferIsUnavailable() throws Exception {
        var inTransfer = receive();
        var call = call();
        var waiting = receive();
        call();
        call.onNext(header(16, 4));
        call.onNext(content(8));

        peer.shutdownNow();

        var failure = inTransfer.<Throwable>handle((_, cause) -> cause).get(5, TimeUnit.SECONDS);
        assertThat(((TransportException) failure).code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertFails(waiting, StatusCode.UNAVAILABLE);
    }
}
