package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Results on an accelerator with real threads; the accelerator rejects calls on a loop.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorReceiveThreadsTest {
    private static final int SIZE = 50_000;

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator gpu =
            new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());

    /// After each test, nothing is left when the workers are closed.
    @AfterEach
    void nothingIsLeft() {
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(gpu.leftOver()).isEmpty();
        gpu.close();
        time.close();
    }

    /// An allocator of the application: each tensor has its own memory, which the driver allocates and frees.
    private final class OwnMemory implements TensorAllocator {
        @Override
        public Device device() {
            return gpu;
        }

        @Override
        public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
            DeviceMemory memory = gpu.allocate(byteSize);
            return Tensor.onDevice(dataType, shape, gpu, memory.address(), memory::close);
        }
    }

    private LoopbackWorkers workers() throws InterruptedException {
        var workers = new LoopbackWorkers(gpu);
        var forbidden = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            workers.worker(i).adapter.loop().execute(() -> {
                gpu.forbid(Thread.currentThread());
                forbidden.countDown();
            });
        }
        forbidden.await();
        return workers;
    }

    private static RendezvousKey toGpu(String edge) {
        return RendezvousKey.of(
                DeviceName.parse(LoopbackWorkers.name(1) + "/device:CPU:0"),
                DeviceName.parse(LoopbackWorkers.name(0) + "/device:GPU:0"),
                edge);
    }

    private static CompletableFuture<RecvResult> receive(
            LoopbackWorkers workers, RendezvousKey key, ReceiveOptions options) {
        return workers.worker(0).manager.rendezvous(1).recvAsync(key, options);
    }

    private static void send(LoopbackWorkers workers, RendezvousKey key, int size, int value) {
        workers.worker(1).manager.rendezvous(1).send(key, workers.worker(1).bytes(size, value));
    }

    private static Tensor tensor(CompletableFuture<RecvResult> received) throws Exception {
        return received.get(60, TimeUnit.SECONDS).tensorOrThrow();
    }

    private void check(Tensor tensor, int size, int value) {
        byte[] content = gpu.peek(tensor.address(), size);
        for (byte each : content) {
            assertThat(each).isEqualTo((byte) value);
        }
    }

    @Test
    void noLoopCallsTheAccelerator() throws Exception {
        try (var workers = workers()) {
            for (int round = 0; round < 5; round++) {
                var received = new ArrayList<CompletableFuture<RecvResult>>();
                for (int i = 0; i < 60; i++) {
                    var delivery = i % 2 == 0 ? Delivery.COMPLETE : Delivery.QUEUED;
                    var options = ReceiveOptions.defaults().withDelivery(delivery);
                    received.add(
                            receive(workers, toGpu("edge" + i), i % 5 == 0 ? options.into(new OwnMemory()) : options));
                    send(workers, toGpu("edge" + i), size(i), i);
                }
                // Some are given up at any stage; the test closes the results that have arrived before.
                for (CompletableFuture<RecvResult> each : received.subList(50, 60)) {
                    if (!each.cancel(false)) {
                        tensor(each).close();
                    }
                }
                for (int i = 0; i < 50; i++) {
                    try (Tensor tensor = tensor(received.get(i))) {
                        DeviceEvent ready = tensor.readyEvent();
                        if (i % 4 == 1) {
                            // Possibly closed before the copy is done.
                            continue;
                        }
                        if (ready != null) {
                            ready.await();
                        }
                        check(tensor, size(i), i);
                    }
                }
            }
            assertThat(workers.worker(0).manager.statistics().failedReceives()).isZero();
        }
    }

    private static int size(int index) {
        // Directly, through one proxy, and in pieces.
        return switch (index % 3) {
            case 0 -> 100;
            case 1 -> 10_000 + index;
            default -> SIZE + index;
        };
    }

    @Test
    void aCopyThatDoesNotEndHoldsUpNothingOnTheHost() throws Exception {
        try (var workers = workers()) {
            gpu.hold();
            List<CompletableFuture<RecvResult>> held = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                held.add(receive(workers, toGpu("held" + i), ReceiveOptions.defaults()));
                send(workers, toGpu("held" + i), SIZE, i);
            }
            for (int i = 0; i < 200; i++) {
                RendezvousKey key = LoopbackWorkers.key(1, 0, "host" + i % 10);
                send(workers, key, SIZE, i);
                tensor(receive(workers, key, ReceiveOptions.defaults())).close();
            }
            assertThat(held).noneMatch(CompletableFuture::isDone);
            gpu.release();
            for (int i = 0; i < held.size(); i++) {
                try (Tensor tensor = tensor(held.get(i))) {
                    check(tensor, SIZE, i);
                }
            }
        }
    }

    @Test
    void theWorkersMayStopWithEverythingUnderWay() throws Exception {
        for (int round = 0; round < 20; round++) {
            var received = new ArrayList<CompletableFuture<RecvResult>>();
            try (var workers = workers()) {
                for (int i = 0; i < 20; i++) {
                    received.add(receive(workers, toGpu("edge" + i), ReceiveOptions.defaults()));
                    send(workers, toGpu("edge" + i), SIZE, i);
                }
                // Some rounds get further than others.
                for (int i = 0; i < round; i++) {
                    var _ = received.get(i).get(60, TimeUnit.SECONDS);
                }
            }
            for (CompletableFuture<RecvResult> each : received) {
                assertThat(each).isDone();
                if (!each.isCompletedExceptionally()) {
                    each.join().tensorOrThrow().close();
                }
            }
        }
    }
}
