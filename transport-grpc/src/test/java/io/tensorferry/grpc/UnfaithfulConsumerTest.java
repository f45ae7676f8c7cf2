package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A worker with invalid requests, or with callers that go away: it refuses, frees its resources, and goes on.
@Timeout(60)
class UnfaithfulConsumerTest {
    private static final String CONSUMER = "/job:worker/replica:0/task:1";

    private final TestCluster cluster = new TestCluster(2);
    private TransportServer producer;
    private ManagedChannel channel;

    @BeforeEach
    void start() {
        producer = cluster.start(0);
        channel = NettyChannelBuilder.forTarget("dns:///" + cluster.spec.address("worker", 0))
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() throws InterruptedException {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        cluster.close();
    }

    private RendezvousKey key() {
        return RendezvousKey.of(producer.deviceName(0), new DeviceName("worker", 0, 1, "CPU", 0), "edge");
    }

    private RecvTensorRequest.Builder request() {
        return RecvTensorRequest.newBuilder()
                .setStepId(1)
                .setRendezvousKey(key().toString())
                .setHostName(CONSUMER)
                .setIncarnation(1);
    }

    private void assertRefused(RecvTensorRequest.Builder request, Status.Code code) {
        var stub = TensorServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> stub.recvTensor(request.build()).next())
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
    }

    @Test
    void refusesRequestsThatMakeNoSense() {
        String self = producer.deviceName(0).toString();
        assertRefused(request().setHostName("/job:worker/replica:0/task:7"), Status.Code.PERMISSION_DENIED);
        assertRefused(request().setHostName(producer.workerName()), Status.Code.PERMISSION_DENIED);
        assertRefused(request().setIncarnation(0), Status.Code.INVALID_ARGUMENT);
        assertRefused(request().setRendezvousKey(""), Status.Code.INVALID_ARGUMENT);
        assertRefused(request().setRendezvousKey(";;;;"), Status.Code.INVALID_ARGUMENT);
        assertRefused(request().setRendezvousKey("x".repeat(30_000)), Status.Code.INVALID_ARGUMENT);
        assertRefused(
                request().setRendezvousKey(CONSUMER + "/device:CPU:0;0;" + self + ";edge;0:0"),
                Status.Code.INVALID_ARGUMENT);
        assertRefused(request().setRendezvousKey(self + ";0;" + self + ";edge;0:0"), Status.Code.INVALID_ARGUMENT);
        assertRefused(request().setRendezvousKey("x".repeat(100_000)), Status.Code.RESOURCE_EXHAUSTED);
        assertThat(producer.statistics().openSteps()).isZero();
    }

    private ClientCall<RecvTensorRequest, RecvTensorChunk> startCall(CountDownLatch headers) {
        ClientCall<RecvTensorRequest, RecvTensorChunk> call =
                channel.newCall(TensorServiceGrpc.getRecvTensorMethod(), CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onHeaders(Metadata metadata) {
                        headers.countDown();
                    }
                },
                new Metadata());
        call.sendMessage(request().build());
        call.halfClose();
        return call;
    }

    private static void awaitClosed(Tensor tensor) {
        long start = System.nanoTime();
        while (!tensor.isClosed()) {
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofSeconds(20).toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void closesATensorWhoseReceiverStopsReadingAndGoes() throws Exception {
        var headers = new CountDownLatch(1);
        Tensor tensor = producer.allocator().allocate(DataType.UINT8, Shape.of(64 << 20));
        // Closed when the memory is given back.
        producer.rendezvous(1)
                .send(key(), Tensor.wrap(tensor.dataType(), tensor.shape(), tensor.segment(), tensor::close));
        // Nothing is requested of the call, so the stream stalls in the middle of the tensor.
        var call = startCall(headers);
        assertThat(headers.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(tensor.isClosed()).isFalse();

        call.cancel("gone", null);

        awaitClosed(tensor);
        assertThat(producer.statistics().tensorsSent()).isZero();
    }

    @Test
    void forgetsAReceiverThatGoesBeforeTheTensorComes() throws Exception {
        var call = startCall(new CountDownLatch(1));
        awaitOpenStep();
        call.cancel("gone", null);
        channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);

        // The waiter is removed from the table, now or soon: a tensor that meets it is closed, the next one stays for
        // the next request.
        int queued = 0;
        for (int i = 0; i < 1000 && queued == 0; i++) {
            producer.rendezvous(1).send(key(), producer.allocator().allocate(DataType.UINT8, Shape.of(1)));
            queued = producer.closeStep(1);
        }
        assertThat(queued).isEqualTo(1);
    }

    private void awaitOpenStep() {
        long start = System.nanoTime();
        while (producer.statistics().openSteps() == 0) {
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofSeconds(20).toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }
}
