package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ObjIntConsumer;

/// Tensors of worker 1 in host memory, and receives of worker 0 whose results are on its accelerator.
final class AcceleratorResults {
    /// What all proxies for received contents have together.
    static final int SHARE = 256 << 10;

    private AcceleratorResults() {}

    static SimulatedCluster.Gpu gpu(SimulatedAcceleratorOptions device) {
        return new SimulatedCluster.Gpu(SimulatedCluster.Gpu.small().options(), device);
    }

    static Scenario scenario(long seed) {
        return scenario(seed, SimulatedCluster.Options.defaults(), Scenario.network());
    }

    static Scenario scenario(long seed, SimulatedCluster.Options options, SimulatedFabricOptions network) {
        return new Scenario(
                seed,
                2,
                0,
                options.variedBy(seed).withGpu(SimulatedCluster.Gpu.small()).withPiecesAtOnce(0),
                network);
    }

    static RendezvousKey key(String edge) {
        return key(1, 0, edge, "GPU:0");
    }

    static RendezvousKey key(int producer, int consumer, String edge, String device) {
        return RendezvousKey.of(
                DeviceName.parse(SimulatedCluster.name(producer) + "/device:CPU:0"),
                DeviceName.parse(SimulatedCluster.name(consumer) + "/device:" + device),
                edge);
    }

    static void send(Scenario scenario, String edge, long size, int value) {
        send(scenario, edge, Scenario.bytes(scenario.worker(1), size, value));
    }

    static void send(Scenario scenario, String edge, Tensor tensor) {
        scenario.worker(1).manager.rendezvous(1).send(key(edge), tensor);
    }

    /// Closes all that came, when what is queued is copied.
    ///
    /// @param check that one is right, by its place, and close it
    /// @param codes with one of which each of the others ended
    /// @return how many came
    static int closeAll(
            Scenario scenario,
            List<Scenario.Receive> receives,
            ObjIntConsumer<Scenario.Receive> check,
            StatusCode... codes) {
        scenario.runFor(10 * Scenario.MILLISECOND_NS);
        int came = 0;
        for (int i = 0; i < receives.size(); i++) {
            var receive = receives.get(i);
            if (receive.isFailure()) {
                assertThat(receive.code()).isIn((Object[]) codes);
            } else {
                came++;
                check.accept(receive, i);
            }
        }
        return came;
    }

    static Scenario.Receive receive(Scenario scenario, String edge) {
        return receive(scenario, edge, ReceiveOptions.defaults());
    }

    static Scenario.Receive receive(Scenario scenario, String edge, ReceiveOptions options) {
        return scenario.receive(0, key(edge), 1, options);
    }

    /// Sends and receives one tensor, and checks it.
    static void exchange(Scenario scenario, String edge, int size, int value) {
        send(scenario, edge, size, value);
        var receive = receive(scenario, edge);
        scenario.await(receive::hasEnded, edge);
        assertContent(scenario, receive, size, value);
    }

    /// Of worker 0.
    static SimulatedAccelerator device(Scenario scenario) {
        return device(scenario.worker(0));
    }

    static SimulatedAccelerator device(SimulatedCluster.Worker worker) {
        return Objects.requireNonNull(worker.gpu);
    }

    static AcceleratorUnit unit(Scenario scenario) {
        return Objects.requireNonNull(scenario.worker(0).accelerators.of(device(scenario)));
    }

    static AcceleratorStatistics statistics(Scenario scenario) {
        return scenario.worker(0).accelerators.statistics().getFirst();
    }

    /// A tensor in memory of worker 0's accelerator.
    static Tensor onDevice(Scenario scenario, int size, int value) {
        Tensor tensor = unit(scenario).allocator().allocate(DataType.UINT8, Shape.of(size));
        var content = new byte[size];
        Arrays.fill(content, (byte) value);
        if (size > 0) {
            device(scenario).poke(tensor.address(), content);
        }
        return tensor;
    }

    /// The tensor came, is on the accelerator, and holds `size` bytes of `value`; it is closed.
    static void assertContent(Scenario scenario, Scenario.Receive receive, int size, int value) {
        Tensor tensor = receive.tensor();
        assertContent(scenario, tensor, size, value);
        tensor.close();
    }

    static void assertContent(Scenario scenario, Tensor tensor, int size, int value) {
        assertThat(tensor.device()).isSameAs(device(scenario));
        assertThat(tensor.byteSize()).as("bytes, seed %d", scenario.seed).isEqualTo(size);
        byte[] content = size == 0 ? new byte[0] : device(scenario).peek(tensor.address(), size);
        for (int i = 0; i < size; i++) {
            if (content[i] != (byte) value) {
                throw new AssertionError(
                        "byte " + i + " is " + content[i] + ", expected " + (byte) value + ", seed " + scenario.seed);
            }
        }
    }

    /// Ends the scenario; of no accelerator anything is left.
    static void end(Scenario scenario) {
        scenario.closeSteps();
        scenario.await(
                () -> scenario.cluster.living().stream().allMatch(AcceleratorResults::isAtRest),
                "all proxies and all memory of accelerators are back, of " + statistics(scenario));
        scenario.end();
        for (var worker : scenario.cluster.living()) {
            assertThat(device(worker).leftOver())
                    .as("of %s, seed %d", worker.name, scenario.seed)
                    .isEmpty();
            assertThat(device(worker).mistakes()).as("seed %d", scenario.seed).isEmpty();
        }
    }

    private static boolean isAtRest(SimulatedCluster.Worker worker) {
        AcceleratorStatistics now = worker.accelerators.statistics().getFirst();
        return !worker.accelerators.isBusy()
                && now.receiveProxyBytes() == 0
                && now.sendProxyBytes() == 0
                && now.strandedBytes() == 0
                && now.deviceBytesInUse() == 0;
    }
}
