package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The path of a DMA-able tensor in steady state: over TCP from the producer's registered memory to the kernel and from
/// the kernel into the consumer's; in shared memory directly from one into the other; and nowhere else.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ZeroCopyTest {
    private static final int TENSORS = 1_000;
    private static final int EDGES = 8;
    private static final int SIZE = 192 * 1024;
    /// The largest request for a known tensor.
    private static final long MOST_MESSAGE_BYTES = 256;
    /// The copies into the shared ring, and out of it.
    private static final int STAGINGS = 2;

    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHARED"})
    void aKnownTensorTakesTheShortestWay(SoftCarrier carrier) throws Exception {
        SoftwareOptions device = SoftwareOptions.defaults().withCarrier(carrier);
        boolean shared = carrier == SoftCarrier.SHARED;
        try (var workers = new LoopbackWorkers(List.of(device, device))) {
            var producer = workers.worker(1);
            var consumer = workers.worker(0);
            for (int i = 0; i < EDGES; i++) {
                transfer(workers, i);
            }
            awaitSent(producer, EDGES);
            long sentBefore = producer.provider.payloadBytesSent();
            long receivedBefore = consumer.provider.payloadBytesReceived();
            long sharedBefore = consumer.provider.payloadBytesShared();
            long copiedBefore = copiedBytes(producer, consumer);
            long requestsBefore = consumer.adapter.counters().messagesSent();
            long messagesBefore = producer.adapter.counters().messagesSent();
            long allocationsBefore = allocatedBytes();
            long directBefore = directBytes();
            for (int i = 0; i < TENSORS; i++) {
                transfer(workers, i);
            }
            awaitSent(producer, EDGES + TENSORS);
            long payload = (long) TENSORS * SIZE;
            assertThat(producer.adapter.counters().messagesSent() - messagesBefore)
                    .as("control messages of the producer, whose bytes would count too")
                    .isZero();
            assertThat(producer.provider.payloadBytesSent() - sentBefore)
                    .as("bytes that the kernel took from registered memory")
                    .isEqualTo(shared ? 0 : payload);
            assertThat(consumer.provider.payloadBytesReceived() - receivedBefore)
                    .as("bytes that the kernel put into registered memory")
                    .isEqualTo(shared ? 0 : payload);
            assertThat(consumer.provider.payloadBytesShared() - sharedBefore)
                    .as("bytes that came from the producer's registered memory straight into the consumer's")
                    .isEqualTo(shared ? payload : 0);
            assertThat(copiedBytes(producer, consumer) - copiedBefore)
                    .as("bytes that were copied in addition: none but the requests themselves")
                    .isLessThanOrEqualTo(
                            shared ? STAGINGS * MOST_MESSAGE_BYTES * requestsSince(consumer, requestsBefore) : 0);
            assertThat(producer.manager.statistics().unregisteredCopies()
                            + consumer.manager.statistics().unregisteredCopies())
                    .isZero();
            // Bytes that the counters cannot see: those that go through an array, or through a buffer of the JDK.
            assertThat(allocatedBytes() - allocationsBefore)
                    .as("heap that was allocated meanwhile, by all threads")
                    .isLessThan(payload / 4);
            assertThat(directBytes() - directBefore)
                    .as("direct buffers that were allocated meanwhile")
                    .isLessThan(SIZE);
        }
    }

    private static long requestsSince(LoopbackWorkers.Worker consumer, long before) {
        return consumer.adapter.counters().messagesSent() - before;
    }

    private static long copiedBytes(LoopbackWorkers.Worker one, LoopbackWorkers.Worker other) {
        return one.provider.payloadBytesCopied() + other.provider.payloadBytesCopied();
    }

    private static void transfer(LoopbackWorkers workers, int number) throws Exception {
        var key = LoopbackWorkers.key(1, 0, "edge" + number % EDGES);
        Tensor sent = workers.worker(1).bytes(SIZE, number);
        workers.worker(1).manager.rendezvous(1).send(key, sent);
        var received = workers.worker(0).manager.rendezvous(1).recvAsync(key).get(30, TimeUnit.SECONDS);
        try (Tensor tensor = ((RecvResult.Received) received).tensor()) {
            long address = tensor.segment().address();
            assertThat(workers.worker(0).adapter.memory().regionOf(address, SIZE))
                    .as("the result is where the peer wrote")
                    .isNotNull();
            assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) number);
            assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, SIZE - 1)).isEqualTo((byte) number);
        }
    }

    /// The producer has counted what it sent: a tensor may arrive before its sender knows.
    private static void awaitSent(LoopbackWorkers.Worker producer, long tensors) throws InterruptedException {
        while (producer.manager.statistics().tensorsSent() < tensors) {
            // Each poll allocates a few objects: a loop without a pause would allocate more than a copy.
            Thread.sleep(1);
        }
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum();
    }
}
