package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Receives that say where their results are to be, and how long they wait.
abstract class ReceiveOptionsContract extends RendezvousContract {
    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator gpu =
            new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());

    @AfterEach
    void closeGpu() {
        gpu.close();
        time.close();
    }

    private static final Duration SHORT = Duration.ofMillis(50);
    // Some go inside the ring, some are written.
    private static final int[] SIZES = {1, 100, 70_001};
    private static final int AREA_BYTES = 8 << 20;

    ReceiveOptionsContract(Protocol protocol) {
        super(protocol);
    }

    private static ReceiveOptions into(TensorAllocator allocator) {
        return ReceiveOptions.defaults().into(allocator);
    }

    @Test
    void aReceiveEndsAtTheDeadlineOfItsOptions() throws Exception {
        ReceiveOptions options = ReceiveOptions.defaults().withTimeout(SHORT);
        var ended = new CompletableFuture<RecvResult>();
        PendingReceive receive = receiving().recvAsync(key("never"), options, ended::complete);
        CompletableFuture<RecvResult> local = sending().recvAsync(localKey("never"), options);

        assertThat(await(ended))
                .isInstanceOfSatisfying(
                        RecvResult.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
        assertThat(receive.cancel()).isFalse();
        assertThat(failureCode(local)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }

    @Test
    void optionsThatSayNothingChangeNothing() throws Exception {
        for (Delivery delivery : Delivery.values()) {
            ReceiveOptions options = ReceiveOptions.defaults().withDelivery(delivery);
            CompletableFuture<RecvResult> receive = receiving().recvAsync(key("a"), options);
            send("a", 7);
            assertThat(Contents.number(await(receive))).isEqualTo(7);
        }
    }

    @Test
    void theContentLandsInMemoryOfTheTransport() throws Exception {
        assertLandsIn(consumer().allocator());
        assertThat(copiedResults()).isZero();
    }

    @Test
    void theContentLandsInRegisteredMemory() throws Exception {
        try (var area = new RegisteredArea(consumer(), AREA_BYTES)) {
            assertLandsIn(area);
        }
        assertThat(copiedResults()).isZero();
    }

    @Test
    void theContentGetsToMemoryThatNoDeviceKnows() throws Exception {
        assertLandsIn(TensorAllocator.unregistered());
        assertThat(copiedResults()).isEqualTo(consumer().statistics().verbs() == null ? 0 : 2L * SIZES.length);
    }

    /// Twice with each size: once with metadata that the receiver does not know, once with what it remembers.
    private void assertLandsIn(TensorAllocator allocator) throws Exception {
        long step = 1;
        for (int size : SIZES) {
            for (int i = 0; i < 2; i++) {
                var watched = new WatchedAllocator(allocator);
                CompletableFuture<RecvResult> receive = receiving(step).recvAsync(key("edge " + size), into(watched));
                sending(step).send(key("edge " + size), Contents.bytes(allocator(), size, step));
                RecvResult result = await(receive);
                assertThat(watched.made(result.tensorOrThrow())).isTrue();
                assertThat(watched.count()).isEqualTo(1);
                Contents.checkBytes(result, size, step);
                step++;
            }
        }
    }

    private long copiedResults() {
        var verbs = consumer().statistics().verbs();
        return verbs == null ? 0 : verbs.copiedResults();
    }

    @Test
    void stringsAreMadeInItsMemory() throws Exception {
        for (int step = 1; step <= 2; step++) {
            var watched = new WatchedAllocator(TensorAllocator.unregistered());
            CompletableFuture<RecvResult> receive = receiving(step).recvAsync(key("a"), into(watched));
            sending(step).send(key("a"), Contents.strings(allocator(), Shape.of(2), "one", "x".repeat(5000)));
            RecvResult result = await(receive);
            assertThat(watched.made(result.tensorOrThrow())).isTrue();
            assertThat(Contents.strings(result)).containsExactly("one", "x".repeat(5000));
        }
    }

    @Test
    void aDeadTensorNeedsNoMemory() throws Exception {
        var watched = new WatchedAllocator(TensorAllocator.unregistered());
        for (int step = 1; step <= 2; step++) {
            CompletableFuture<RecvResult> receive = receiving(step).recvAsync(key("a"), into(watched));
            sending(step).sendDead(key("a"));
            assertThat(await(receive)).isEqualTo(new RecvResult.Dead());
        }
        assertThat(watched.count()).isZero();
    }

    @Test
    void whatAnAllocatorThrowsEndsItsReceiveAlone() throws Exception {
        TensorAllocator full = (_, _, _) -> {
            throw new TransportException(StatusCode.RESOURCE_EXHAUSTED, "full, on purpose");
        };
        TensorAllocator broken = (_, _, _) -> {
            throw new IllegalArgumentException("broken, on purpose");
        };
        TensorAllocator unlinked = (_, _, _) -> {
            throw new NoClassDefFoundError("unlinked, on purpose");
        };
        for (int size : SIZES) {
            // First a key that is new, then one that is known.
            for (int i = 0; i < 2; i++) {
                TransportException exhausted = failureOf(size, full);
                assertThat(exhausted.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                assertThat(exhausted).hasMessageContaining("full, on purpose");
                TransportException internal = failureOf(size, broken);
                assertThat(internal.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(internal).hasRootCauseMessage("broken, on purpose");
                TransportException error = failureOf(size, unlinked);
                assertThat(error.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(error).hasRootCauseMessage("unlinked, on purpose");
                sending().send(key("edge " + size), Contents.bytes(allocator(), size, 3));
                Contents.checkBytes(receive("edge " + size), size, 3);
            }
        }
    }

    @Test
    void aTensorThatWasNotAskedForEndsTheReceiveAndIsClosed() throws Exception {
        var otherShape = new WatchedAllocator(
                (dataType, _, _) -> TensorAllocator.unregistered().allocate(dataType, Shape.of(3)));
        var otherType = new WatchedAllocator(
                (_, shape, _) -> TensorAllocator.unregistered().allocate(DataType.INT8, shape));
        var readOnly = new WatchedAllocator((dataType, shape, bytes) -> {
            Tensor writable = TensorAllocator.unregistered().allocate(dataType, shape, bytes);
            return Tensor.wrap(dataType, shape, writable.segment().asReadOnly(), writable::close);
        });
        for (WatchedAllocator wrong : List.of(otherShape, otherType, readOnly)) {
            for (int i = 0; i < 2; i++) {
                assertThat(failureOf(100, wrong).code()).isEqualTo(StatusCode.INTERNAL);
            }
            assertThat(wrong.count()).isPositive();
            eventually("what it made is closed", wrong::isAllClosed);
        }
    }

    /// Returns the failure of a receive of `size` bytes into memory of `allocator`; closes the tensor sent for it.
    private TransportException failureOf(int size, TensorAllocator allocator) throws Exception {
        Tensor sent = Contents.bytes(allocator(), size, 2);
        CompletableFuture<RecvResult> receive = receiving().recvAsync(key("edge " + size), into(allocator));
        sending().send(key("edge " + size), Contents.watched(sent));
        TransportException failure = failure(receive);
        eventually("the sender is done with its tensor", sent::isClosed);
        return failure;
    }

    @Test
    void aReceiveThatIsCancelledGivesItsMemoryBack() throws Exception {
        Contents.checkBytes(exchange("a", TensorAllocator.unregistered(), 1), 1000, 1);
        try (var area = new RegisteredArea(consumer(), AREA_BYTES)) {
            var registered = new WatchedAllocator(area);
            var unknown = new WatchedAllocator(TensorAllocator.unregistered());
            for (WatchedAllocator each : List.of(registered, unknown)) {
                var ended = new CompletableFuture<RecvResult>();
                PendingReceive receive = receiving(2).recvAsync(key("a"), into(each), ended::complete);
                assertThat(receive.cancel()).isTrue();
                assertThat(await(ended)).isInstanceOf(RecvResult.Failed.class);
            }
            eventually("no memory is held", () -> registered.isAllClosed() && unknown.isAllClosed());
        }
    }

    private RecvResult exchange(String edge, TensorAllocator allocator, long step) throws Exception {
        sending(step).send(key(edge), Contents.bytes(allocator(), 1000, step));
        return await(receiving(step).recvAsync(key(edge), into(allocator)));
    }

    @Test
    void receivesGoToMemoryOfDifferentAllocatorsAtOnce() throws Exception {
        int each = 50;
        try (var area = new RegisteredArea(consumer(), AREA_BYTES)) {
            List<WatchedAllocator> allocators = List.of(
                    new WatchedAllocator(consumer().allocator()),
                    new WatchedAllocator(area),
                    new WatchedAllocator(TensorAllocator.unregistered()));
            for (int step = 1; step <= 2; step++) {
                var receives = new ArrayList<CompletableFuture<RecvResult>>();
                for (int i = 0; i < each * allocators.size(); i++) {
                    receives.add(
                            receiving(step).recvAsync(key("edge " + i), into(allocators.get(i % allocators.size()))));
                }
                for (int i = 0; i < receives.size(); i++) {
                    sending(step).send(key("edge " + i), Contents.bytes(allocator(), 100L * i, i));
                }
                for (int i = 0; i < receives.size(); i++) {
                    RecvResult result = await(receives.get(i));
                    assertThat(allocators.get(i % allocators.size()).made(result.tensorOrThrow()))
                            .isTrue();
                    Contents.checkBytes(result, 100L * i, i);
                }
            }
            for (WatchedAllocator allocator : allocators) {
                assertThat(allocator.count()).isEqualTo(2 * each);
                assertThat(allocator.isAllClosed()).isTrue();
            }
        }
    }

    @Test
    void aReceiveOnTheSameWorkerGetsTheProducersOwnMemory() throws Exception {
        var watched = new WatchedAllocator(allocator());
        Tensor sent = Contents.number(allocator(), 5);
        long address = sent.address();
        CompletableFuture<RecvResult> receive = sending().recvAsync(localKey("a"), into(watched));
        sending().send(localKey("a"), sent);

        RecvResult result = await(receive);
        assertThat(result.tensorOrThrow().address()).isEqualTo(address);
        assertThat(Contents.number(result)).isEqualTo(5);
        assertThat(watched.count()).isZero();
    }

    @Test
    void memoryOfAnAcceleratorThatTheServerWasNotGivenIsRefused() {
        var allocator = new TensorAllocator() {
            @Override
            public Device device() {
                return gpu;
            }

            @Override
            public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
                throw new AssertionError("nothing is to be made there");
            }
        };
        for (var key : List.of(key("a"), workers().key(CONSUMER, CONSUMER, "a"))) {
            assertThatThrownBy(() -> receiving().recvAsync(key, into(allocator), _ -> {}))
                    .isInstanceOfAny(IllegalArgumentException.class, UnsupportedOperationException.class)
                    .hasMessageContaining("cannot be on GPU:0");
        }
    }

    @Test
    void aTensorOnAnAcceleratorThatItsServerWasNotGivenDoesNotLeaveItsWorker() throws Exception {
        try (DeviceMemory memory = gpu.allocate(100)) {
            var closed = new AtomicInteger();
            Tensor leaving = onGpu(memory, closed);
            assertThatThrownBy(() -> sending().send(key("a"), leaving))
                    .isInstanceOfAny(IllegalArgumentException.class, UnsupportedOperationException.class)
                    .hasMessageContaining("is on GPU:0")
                    .hasMessageContaining("copy");
            leaving.close();
            assertThat(closed).hasValue(1);

            RendezvousKey within = workers().key(CONSUMER, CONSUMER, "a");
            receiving().send(within, onGpu(memory, closed));
            try (Tensor received = receiving().recv(within, LIMIT).tensorOrThrow()) {
                assertThat(received.device()).isSameAs(gpu);
                assertThat(received.address()).isEqualTo(memory.address());
            }
            assertThat(closed).hasValue(2);
        }
    }

    private Tensor onGpu(DeviceMemory memory, AtomicInteger closed) {
        return Tensor.onDevice(DataType.UINT8, Shape.of(100), gpu, memory.address(), closed::incrementAndGet);
    }
}
