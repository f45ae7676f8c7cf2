package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.simulation.Watched;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors on an accelerator are sent on real threads; the loops never call its driver.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorSendThreadsTest {
    private static final int LARGE = 9_000_000;
    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator gpu =
            new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());

    @AfterEach
    void closeTime() {
        time.close();
    }

    private static byte[] content(int size, int value) {
        byte[] content = new byte[size];
        new Random(value).nextBytes(content);
        return content;
    }

    /// Its last close calls the driver.
    private Tensor tensor(int size, int value) {
        DeviceMemory memory = gpu.allocate(size);
        gpu.poke(memory.address(), content(size, value));
        return Tensor.onDevice(DataType.UINT8, Shape.of(size), gpu, memory.address(), memory::close);
    }

    private static CompletableFuture<RecvResult> receive(LoopbackWorkers workers, String edge) {
        return workers.worker(1).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(0, 1, edge));
    }

    private static void send(LoopbackWorkers workers, String edge, Tensor tensor) {
        workers.worker(0).manager.rendezvous(1).send(LoopbackWorkers.key(0, 1, edge), tensor);
    }

    private static void assertContent(CompletableFuture<RecvResult> receive, byte[] content) throws Exception {
        try (Tensor tensor = ((RecvResult.Received) receive.get(60, TimeUnit.SECONDS)).tensor()) {
            assertThat(tensor.segment().mismatch(MemorySegment.ofArray(content)))
                    .isEqualTo(-1);
        }
    }

    private AcceleratorStatistics statistics(LoopbackWorkers workers) {
        return workers.worker(0).accelerators.statistics().getFirst();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            // The test's time is over.
            assertThat(Thread.interrupted()).isFalse();
            Thread.onSpinWait();
        }
    }

    private void forbidLoops() {
        List<Thread> loops = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tensorferry-loop"))
                .toList();
        // A test whose device does not stop leaves its objects.
        assertThat(loops).hasSizeGreaterThanOrEqualTo(2);
        loops.forEach(gpu::forbid);
    }

    @Test
    void noLoopEverCallsTheAccelerator() throws Exception {
        try (var workers = new LoopbackWorkers(new FaultyDevice(), gpu)) {
            forbidLoops();
            DeviceStream stream = gpu.openStream();
            int[] sizes = {1, 4096, 4097, 100_000, LARGE};
            for (int i = 0; i < 60; i++) {
                int size = sizes[i % sizes.length];
                // Half of them are requested before they are sent.
                CompletableFuture<RecvResult> receive = i % 2 == 0 ? receive(workers, "edge") : null;
                Tensor tensor = tensor(size, i);
                send(workers, "edge", i % 3 == 0 ? tensor.readyAfter(stream.record()) : tensor);
                assertContent(receive == null ? receive(workers, "edge") : receive, content(size, i));
            }
            stream.close();
            // The proxies of the last writes are released when the loop has polled their completions.
            await(() -> statistics(workers).sendProxyBytes() == 0);
            await(() -> !workers.worker(0).accelerators.isBusy());
        }
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(gpu.leftOver()).isEmpty();
    }

    @Test
    void anAcceleratorThatStandsStillHoldsUpNobodyElse() throws Exception {
        try (var workers = new LoopbackWorkers(new FaultyDevice(), gpu)) {
            gpu.hold();
            CompletableFuture<RecvResult> held = receive(workers, "held");
            send(workers, "held", tensor(LARGE, 1));
            await(() -> statistics(workers).sendProxyBytes() > 0);
            for (int i = 0; i < 200; i++) {
                send(workers, "edge", workers.worker(0).bytes(10_000, i));
                try (Tensor received =
                        ((RecvResult.Received) receive(workers, "edge").get(60, TimeUnit.SECONDS)).tensor()) {
                    assertThat(received.byteSize()).isEqualTo(10_000);
                }
            }
            assertThat(held).isNotDone();
            gpu.release();
            assertContent(held, content(LARGE, 1));
        }
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(gpu.leftOver()).isEmpty();
    }

    private static boolean isChunk(String method, Object[] arguments) {
        return (method.equals("postSend") || method.equals("prepareSend"))
                && arguments[0] instanceof SendWorkRequest request
                && request.length >= 4096;
    }

    /// The RDMA device may go on reading its proxies; it never accesses the tensor.
    @Test
    void proxiesStayOutOfUseWhereTheDeviceDoesNotStop() throws Exception {
        var faults = new FaultyDevice();
        var workers = new LoopbackWorkers(faults, gpu);
        try {
            send(workers, "before", tensor(100, 1));
            assertContent(receive(workers, "before"), content(100, 1));
            gpu.hold();
            Tensor tensor = tensor(LARGE, 2);
            var receive = receive(workers, "edge");
            send(workers, "edge", Watched.memoryOf(tensor));
            await(() -> statistics(workers).sendProxyBytes() > 0);
            // From the first chunk on: a heartbeat before it would lose a channel without a posted chunk.
            faults.observe((method, arguments) -> {
                if (isChunk(method, arguments)) {
                    List.of("postSend", "prepareSend", "modify", "close").forEach(faults::refuse);
                }
            });
            gpu.release();
            await(() -> statistics(workers).strandedBytes() > 0);
            await(() -> statistics(workers).sendProxyBytes() == 0);
            await(tensor::isClosed);
            faults.recover();
            assertThat(receive.isCompletedExceptionally() || receive.cancel(true))
                    .isTrue();
        } finally {
            // The objects that the device did not destroy still exist.
            assertThatThrownBy(workers::close).isInstanceOf(VerbsException.class);
        }
        assertThat(gpu.mistakes()).isEmpty();
    }
}
