package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Contents that go from worker 1, from host memory and from its accelerator, to the accelerator of worker 0 in pieces.
final class PieceStage {
    static final int PIECE = 16_384;

    private PieceStage() {}

    /// Of few and of many pieces at once, for which there are few proxies or many, at either end.
    static SimulatedCluster.Options options(long seed) {
        var small = SimulatedCluster.Gpu.small();
        var base = seed % 5 == 4 ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
        return base.variedBy(seed)
                .withGpu(new SimulatedCluster.Gpu(
                        small.options()
                                .withPieces(PIECE, 1 + (int) (seed % 7))
                                .withProxyBytes((4 + seed % 3 * 8) * PIECE),
                        small.device()))
                .withPiecesAtOnce(1 + (int) (seed % 3) * 7);
    }

    static GpuScenario scenario(long seed) {
        return new GpuScenario(seed, 2, options(seed));
    }

    /// Over a network that is slow now and then.
    static GpuScenario slowScenario(long seed) {
        return new GpuScenario(
                seed,
                2,
                options(seed),
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.05, 300_000));
    }

    static void send(GpuScenario gpus, String edge, int size, long value, boolean onDevice) {
        AcceleratorResults.send(gpus.scenario, edge, tensor(gpus, size, value, onDevice));
    }

    static Tensor tensor(GpuScenario gpus, int size, long value, boolean onDevice) {
        byte[] content = GpuScenario.content(size, value);
        if (onDevice) {
            return gpus.tensor(1, content);
        }
        var allocator = gpus.scenario.worker(1).adapter.memory().allocator();
        Tensor tensor = allocator.allocate(DataType.UINT8, Shape.of(size));
        tensor.segment().copyFrom(MemorySegment.ofArray(content));
        return tensor;
    }

    static Scenario.Receive receive(GpuScenario gpus, String edge, Delivery delivery) {
        return AcceleratorResults.receive(
                gpus.scenario, edge, ReceiveOptions.defaults().withDelivery(delivery));
    }

    /// Sends and receives one tensor, and checks it.
    static void exchange(GpuScenario gpus, String edge, int size, long value, boolean onDevice) {
        send(gpus, edge, size, value, onDevice);
        var receive = receive(gpus, edge, Delivery.COMPLETE);
        gpus.scenario.await(receive::hasEnded, edge);
        assertContent(gpus, receive, size, value);
    }

    /// The tensor came and is right; it is closed.
    static void assertContent(GpuScenario gpus, Scenario.Receive receive, int size, long value) {
        try (Tensor tensor = receive.tensor()) {
            SimulatedAccelerator device = (SimulatedAccelerator) tensor.device();
            assertThat(tensor.byteSize()).isEqualTo(size);
            assertThat(device.peek(tensor.address(), size))
                    .as("content of %d bytes, seed %d", size, gpus.scenario.seed)
                    .isEqualTo(GpuScenario.content(size, value));
        }
    }

    /// Nothing is left at worker 0, whose accelerator gives its memory back only when all is closed.
    static void end(GpuScenario gpus) {
        gpus.scenario.closeSteps();
        gpus.scenario.await(
                () -> gpus.isQuiet() && gpus.statistics(0).deviceBytesInUse() == 0, "all memory of the accelerator");
        gpus.end();
    }

    /// Several contents of several pieces, some of which want their copy only to be queued.
    static final class Round {
        static final int RECEIVES = 8;

        private final GpuScenario gpus;
        final List<Scenario.Receive> receives = new ArrayList<>();

        Round(GpuScenario gpus) {
            this.gpus = gpus;
            for (int i = 0; i < RECEIVES; i++) {
                receives.add(receive(gpus, "edge" + i, i % 4 == 3 ? Delivery.QUEUED : Delivery.COMPLETE));
                send(gpus, "edge" + i, size(i), i, i % 2 == 0);
            }
        }

        private static int size(int index) {
            return index == 5 ? PIECE : 2 * PIECE + 9 * PIECE * index / 4;
        }

        /// Returns how many came; the others ended with one of these.
        int closeAll(StatusCode... codes) {
            return AcceleratorResults.closeAll(
                    gpus.scenario, receives, (receive, i) -> assertContent(gpus, receive, size(i), i), codes);
        }

        /// Closes all results that arrived.
        void close() {
            for (var receive : receives) {
                if (Objects.requireNonNull(receive.result()) instanceof RecvResult.Received) {
                    receive.close();
                }
            }
        }
    }
}
