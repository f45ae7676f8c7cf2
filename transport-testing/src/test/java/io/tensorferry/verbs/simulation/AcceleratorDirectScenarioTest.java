package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.receive;
import static io.tensorferry.verbs.simulation.AcceleratorResults.send;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Tensors between accelerators whose memory the RDMA device reaches by itself: what can be sent or received there is,
/// with no copy, and all else goes by proxies.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorDirectScenarioTest {
    // None, carried by the ring if they come from the host, in several chunks, and striped.
    private static final int[] SIZES = {0, 1, 90, 4096, 5000, 40_000, 200_000};
    private static final int FILLED = SIZES.length - 1;
    private static final int SIZE = 40_000;
    private static final int TRANSFERS = 16;
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;

    private static Scenario scenario(long seed, NicWrites writes) {
        return scenario(seed, writes, SimulatedCluster.Options.defaults(), Scenario.network());
    }

    private static Scenario scenario(
            long seed, NicWrites writes, SimulatedCluster.Options options, SimulatedFabricOptions network) {
        var gpu = AcceleratorResults.gpu(SimulatedAcceleratorOptions.defaults().withExport(writes));
        return new Scenario(
                seed,
                2,
                0,
                options.variedBy(seed).withRkeyScope(RemoteKeyScope.SLAB).withGpu(gpu),
                network);
    }

    private static Scenario withWindows(long seed) {
        var gpu = AcceleratorResults.gpu(SimulatedAcceleratorOptions.defaults().withExport(NicWrites.VISIBLE));
        var options = SimulatedCluster.Options.defaults().variedBy(seed).withRkeyScope(RemoteKeyScope.REQUEST);
        return new Scenario(seed, 2, 0, options.withGpu(gpu), Scenario.network());
    }

    private static AcceleratorStatistics statistics(Scenario scenario, int worker) {
        return scenario.worker(worker).accelerators.statistics().getFirst();
    }

    /// A tensor of the producer's accelerator, in memory of the transport's.
    private static Tensor registered(Scenario scenario, int size, int value) {
        SimulatedAccelerator gpu = device(scenario.worker(1));
        AcceleratorUnit unit =
                Objects.requireNonNull(scenario.worker(1).accelerators.of(gpu));
        Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(size));
        if (size > 0) {
            gpu.poke(tensor.address(), filled(size, value));
        }
        return tensor;
    }

    private static byte[] filled(int size, int value) {
        var content = new byte[size];
        Arrays.fill(content, (byte) value);
        return content;
    }

    /// From one accelerator to the other, first with metadata that the receiver does not know.
    private static void exchangeAll(Scenario scenario, int times) {
        for (int size : SIZES) {
            for (int i = 1; i <= times; i++) {
                Tensor sent = registered(scenario, size, i);
                send(scenario, "edge " + size, Watched.memoryOf(sent));
                var receive = receive(scenario, "edge " + size);
                scenario.await(receive::hasEnded, "the tensor");
                assertContent(scenario, receive, size, i);
                scenario.await(sent::isClosed, "the sender is done with it");
            }
        }
    }

    /// A dmabuf takes no windows.
    @Test
    void withWindowsTensorsAreSentDirectlyAndResultsGoByProxies() {
        for (long seed = 0; seed < 24; seed++) {
            try (var scenario = withWindows(seed)) {
                exchangeAll(scenario, 2);
                assertThat(statistics(scenario, 1).directTensors()).isEqualTo(2L * FILLED);
                assertThat(statistics(scenario, 1).stagedTensors()).isZero();
                assertThat(statistics(scenario, 0).directTensors()).isZero();
                assertThat(statistics(scenario, 0).stagedTensors()).isEqualTo(2L * FILLED);
                end(scenario);
            }
        }
    }

    /// Over one lane and several.
    @ParameterizedTest
    @EnumSource(
            value = NicWrites.class,
            names = {"VISIBLE", "AFTER_FLUSH"})
    void contentsOfEverySizeGoFromAcceleratorToAccelerator(NicWrites writes) {
        for (long seed = 0; seed < 48; seed++) {
            try (var scenario = scenario(seed, writes)) {
                exchangeAll(scenario, 3);
                for (int worker = 0; worker < 2; worker++) {
                    assertThat(statistics(scenario, worker).directTensors())
                            .as("of worker %d, seed %d", worker, seed)
                            .isEqualTo(3L * FILLED);
                    assertThat(statistics(scenario, worker).stagedTensors()).isZero();
                    assertThat(statistics(scenario, worker).highWaterProxyBytes())
                            .isZero();
                }
                assertThat(scenario.worker(0).manager.statistics().warmRequests())
                        .isEqualTo(2L * SIZES.length);
                end(scenario);
            }
        }
    }

    @Test
    void whereWhatIsWrittenIsNeverKnownToBeThereResultsGoByProxies() {
        for (long seed = 0; seed < 24; seed++) {
            try (var scenario = scenario(seed, NicWrites.UNUSABLE)) {
                exchangeAll(scenario, 2);
                assertThat(statistics(scenario, 1).directTensors()).isEqualTo(2L * FILLED);
                assertThat(statistics(scenario, 1).stagedTensors()).isZero();
                assertThat(statistics(scenario, 0).directTensors()).isZero();
                assertThat(statistics(scenario, 0).stagedTensors()).isEqualTo(2L * FILLED);
                end(scenario);
            }
        }
    }

    /// The content is read on the host at both ends.
    @Test
    void withDataValidationContentsGoByProxies() {
        for (long seed = 0; seed < 24; seed++) {
            try (var scenario =
                    scenario(seed, NicWrites.VISIBLE, SimulatedCluster.Options.validating(), Scenario.network())) {
                exchangeAll(scenario, 2);
                for (int worker = 0; worker < 2; worker++) {
                    assertThat(statistics(scenario, worker).directTensors()).isZero();
                    assertThat(statistics(scenario, worker).stagedTensors()).isEqualTo(2L * FILLED);
                }
                end(scenario);
            }
        }
    }

    /// Some of them come in the ring, also for memory that was named.
    @ParameterizedTest
    @EnumSource(
            value = NicWrites.class,
            names = {"VISIBLE", "AFTER_FLUSH"})
    void contentsOfTheHostComeThereToo(NicWrites writes) {
        long staged = 0;
        for (long seed = 0; seed < 192; seed += 5) {
            try (var scenario = scenario(seed, writes)) {
                for (int size : SIZES) {
                    for (int i = 1; i <= 3; i++) {
                        AcceleratorResults.exchange(scenario, "edge " + size, size, i);
                    }
                }
                AcceleratorStatistics now = statistics(scenario, 0);
                assertThat(now.directTensors() + now.stagedTensors()).isEqualTo(3L * FILLED);
                // At least the large ones.
                assertThat(now.directTensors()).isGreaterThanOrEqualTo(3 * 3);
                staged += now.stagedTensors();
                end(scenario);
            }
        }
        assertThat(staged).as("that came in the ring").isPositive();
    }

    @Test
    void memoryThatIsNotRegisteredGoesByProxiesAtItsEnd() {
        try (var scenario = scenario(1, NicWrites.VISIBLE)) {
            SimulatedAccelerator gpu = device(scenario.worker(1));
            send(scenario, "edge", GpuScenario.tensor(gpu, filled(SIZE, 3)));
            var receive = receive(scenario, "edge");
            scenario.await(receive::hasEnded, "the tensor");
            assertContent(scenario, receive, SIZE, 3);
            assertThat(statistics(scenario, 1).stagedTensors()).isEqualTo(1);
            assertThat(statistics(scenario, 1).directTensors()).isZero();
            assertThat(statistics(scenario, 0).directTensors()).isEqualTo(1);
            end(scenario);
        }
    }

    /// The NIC is not to read what the producer's stream has only queued.
    @Test
    void aSourceIsNotReadBeforeItsEventIsReached() {
        try (var scenario = scenario(1, NicWrites.VISIBLE)) {
            SimulatedAccelerator gpu = device(scenario.worker(1));
            DeviceStream producer = gpu.openStream();
            gpu.hold();
            Tensor from = registered(scenario, SIZE, 7);
            Tensor late = registered(scenario, SIZE, 0);
            producer.copy(from.address(), late.address(), SIZE);
            DeviceEvent ready = producer.record();
            send(scenario, "edge", late.readyAfter(ready));
            var receive = receive(scenario, "edge");
            scenario.runFor(MILLISECOND_NS);
            assertThat(receive.hasEnded()).isFalse();
            gpu.release();
            scenario.await(receive::hasEnded, "the tensor");
            assertContent(scenario, receive, SIZE, 7);
            assertThat(statistics(scenario, 1).directTensors()).isEqualTo(1);
            from.close();
            producer.close();
            end(scenario);
        }
    }

    /// Cuts, receives that are given up, a producer that dies: at any moment.
    @ParameterizedTest
    @EnumSource
    void whateverEndsNothingIsLeft(NicWrites writes) {
        int came = 0;
        int failed = 0;
        for (long seed = 0; seed < 100; seed++) {
            var network =
                    SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.1, 300_000);
            try (var scenario = scenario(seed, writes, SimulatedCluster.Options.defaults(), network)) {
                var random = new Random(seed);
                exchangeAll(scenario, 1);
                List<Scenario.Receive> receives = new ArrayList<>();
                for (int i = 0; i < TRANSFERS; i++) {
                    // Half of them with metadata that the receiver knows.
                    String edge = i % 2 == 0 ? "edge " + i : "edge " + SIZE;
                    var receive = receive(scenario, edge, ReceiveOptions.defaults());
                    receives.add(receive);
                    send(scenario, edge, registered(scenario, SIZE, 9));
                    if (i % 4 == 0) {
                        scenario.fabric.schedule(random.nextLong(MILLISECOND_NS), receive::cancel);
                    }
                }
                scenario.runFor(random.nextLong(MILLISECOND_NS));
                switch ((int) (seed % 3)) {
                    case 0 -> scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
                    case 1 -> scenario.cluster.kill(scenario.worker(1));
                    default -> scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.CANCELLED, "aborted");
                }
                scenario.awaitAll();
                for (Scenario.Receive receive : receives) {
                    if (receive.isFailure()) {
                        failed++;
                        assertThat(receive.code()).isIn(StatusCode.CANCELLED, StatusCode.UNAVAILABLE);
                    } else {
                        came++;
                        assertContent(scenario, receive, SIZE, 9);
                    }
                }
                end(scenario);
            }
        }
        assertThat(came).as("that came").isGreaterThan(100);
        assertThat(failed).as("that did not").isGreaterThan(100);
    }

    /// Over the fallback they come by the host.
    @Test
    void whatWasHeldForAChannelThatIsLostGoesByTheFallback() {
        long moved = 0;
        for (long seed = 0; seed < 24; seed++) {
            var options = SimulatedCluster.Options.defaults().withFallback();
            try (var scenario = scenario(seed, NicWrites.VISIBLE, options, Scenario.network())) {
                exchangeAll(scenario, 1);
                send(scenario, "edge", registered(scenario, SIZE, 4));
                var receive = receive(scenario, "edge");
                scenario.runFor(2_000 * seed);
                scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 8 * SECOND_NS);
                scenario.cluster.failCalls(1);
                scenario.await(receive::hasEnded, "the receive ends");
                assertContent(scenario, receive, SIZE, 4);
                moved += scenario.worker(0).manager.statistics().fallbackReceives();
                end(scenario);
            }
        }
        assertThat(moved).as("receives that went over the fallback").isPositive();
    }
}
