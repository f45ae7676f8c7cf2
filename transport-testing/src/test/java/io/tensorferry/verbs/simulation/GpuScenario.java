package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Random;

/// A [Scenario] in which each worker has an accelerator; contents differ from byte to byte, so that a part in the wrong
/// place is found.
final class GpuScenario implements AutoCloseable {
    final Scenario scenario;
    private final SimulatedCluster.Options options;

    GpuScenario(long seed, int workers) {
        this(seed, workers, SimulatedCluster.Options.defaults().variedBy(seed));
    }

    GpuScenario(long seed, int workers, SimulatedCluster.Options options) {
        this(seed, workers, options, SimulatedFabricOptions.defaults());
    }

    /// @param options those of the accelerators are [SimulatedCluster.Gpu#small()] if it has none
    GpuScenario(long seed, int workers, SimulatedCluster.Options options, SimulatedFabricOptions network) {
        this.options = options.gpu() == null ? options.withGpu(SimulatedCluster.Gpu.small()) : options;
        this.scenario = new Scenario(seed, workers, 0, this.options, network);
    }

    SimulatedAccelerator gpu(int worker) {
        return Objects.requireNonNull(scenario.worker(worker).gpu);
    }

    AcceleratorStatistics statistics(int worker) {
        return scenario.worker(worker).accelerators.statistics().getFirst();
    }

    static byte[] content(int size, long value) {
        byte[] content = new byte[size];
        new Random(value).nextBytes(content);
        return content;
    }

    /// A tensor on the accelerator of `worker`, which gives its memory back itself.
    Tensor tensor(int worker, byte[] content) {
        return tensor(gpu(worker), content);
    }

    static Tensor tensor(SimulatedAccelerator gpu, byte[] content) {
        return tensor(gpu, DataType.UINT8, Shape.of(content.length), content);
    }

    static Tensor tensor(SimulatedAccelerator gpu, DataType type, Shape shape, byte[] content) {
        if (content.length == 0) {
            return Tensor.onDevice(type, shape, gpu, 0, () -> {});
        }
        DeviceMemory memory = gpu.allocate(content.length);
        gpu.poke(memory.address(), content);
        return Tensor.onDevice(type, shape, gpu, memory.address(), memory::close);
    }

    /// Sends such a tensor.
    void send(int producer, int consumer, long step, String edge, int size, long value) {
        scenario.send(producer, consumer, step, edge, tensor(producer, content(size, value)));
    }

    /// Sends and receives one tensor, and checks it.
    void exchange(int producer, int consumer, long step, String edge, int size, long value) {
        send(producer, consumer, step, edge, size, value);
        Scenario.Receive receive = scenario.receive(producer, consumer, step, edge);
        scenario.await(receive::hasEnded, edge);
        assertContent(receive, size, value);
    }

    /// The tensor came into host memory, and is right; it is closed.
    void assertContent(Scenario.Receive receive, int size, long value) {
        try (Tensor tensor = receive.tensor()) {
            assertThat(tensor.byteSize()).as("bytes, seed %d", scenario.seed).isEqualTo(size);
            assertThat(tensor.segment().mismatch(MemorySegment.ofArray(content(size, value))))
                    .as("the first wrong byte of %d, seed %d", size, scenario.seed)
                    .isEqualTo(-1);
        }
    }

    /// Whether nothing is copied, and no proxy held.
    boolean isQuiet() {
        return scenario.isQuiet() && scenario.cluster.living().stream().allMatch(GpuScenario::copiesNothing);
    }

    static boolean copiesNothing(SimulatedCluster.Worker worker) {
        return !worker.accelerators.isBusy()
                && worker.accelerators.statistics().stream()
                        .allMatch(now -> now.sendProxyBytes() == 0 && now.receiveProxyBytes() == 0);
    }

    /// Ends the steps and the workers, and checks that nothing is left, on the accelerators neither.
    void end() {
        scenario.closeSteps();
        scenario.await(this::isQuiet, "nothing is copied, and no proxy held");
        for (var worker : scenario.cluster.living()) {
            assertThat(worker.accelerators.statistics().getFirst().strandedBytes())
                    .as("stranded bytes of %s, seed %d", worker.name, scenario.seed)
                    .isZero();
        }
        scenario.end();
        for (var worker : scenario.cluster.living()) {
            assertNothingLeft(Objects.requireNonNull(worker.gpu), worker.name + ", seed " + scenario.seed);
        }
    }

    static void assertNothingLeft(SimulatedAccelerator gpu, String where) {
        assertThat(gpu.mistakes()).as("mistakes, %s", where).isEmpty();
        assertThat(gpu.leftOver()).as("what is left, %s", where).isEmpty();
    }

    @Override
    public void close() {
        scenario.close();
    }

    /// Events that a producer's stream reaches when a test says so: that of another accelerator, so that it holds up no
    /// copy.
    final class Producer {
        private final SimulatedAccelerator other = new SimulatedAccelerator(
                1, AcceleratorTime.of(scenario.fabric), 1, SimulatedAcceleratorOptions.defaults());
        private final DeviceStream stream = other.openStream();

        Producer() {
            other.hold();
        }

        DeviceEvent event() {
            return stream.record();
        }

        /// All events are reached.
        void reach() {
            other.release();
        }

        void fail() {
            other.breakDevice(new TransportException(StatusCode.INTERNAL, "the producer's stream has failed"));
        }

        /// Every event was closed, and none twice used.
        void assertNothingLeft() {
            stream.close();
            other.release();
            assertThat(other.leftOver()).isEmpty();
            assertThat(other.mistakes()).isEmpty();
        }
    }
}
