package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors on an accelerator are sent to workers that receive them in host memory.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorSendScenarioTest {
    // All that Options.variedBy() comes to.
    private static final int SEEDS = SeededRuns.ofScenario(96);
    private static final int PIECE = 16_384;
    private static final int[] SIZES = {0, 1, 100, 4095, 4096, 4097, PIECE, PIECE + 1, 5 * PIECE + 7, 300_000};

    private static SimulatedCluster.Options validating(long seed) {
        return SimulatedCluster.Options.validating().variedBy(seed);
    }

    /// The first time the receiver does not know the tensor, the second it does, the third it is wrong.
    private static void exchangeAllSizes(GpuScenario gpus) {
        for (int i = 0; i < SIZES.length; i++) {
            for (int step = 1; step <= 3; step++) {
                int size = SIZES[(i + step / 3) % SIZES.length];
                gpus.exchange(0, 1, step, "edge" + i, size, 100 * i + step);
            }
        }
    }

    @Test
    void everySizeArrives() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = new GpuScenario(seed, 2)) {
                exchangeAllSizes(gpus);
                gpus.end();
            }
        }
    }

    /// Pieces that are larger than what a lane writes at once, and smaller; one at a time, and many.
    @Test
    void everySizeArrivesWhateverThePieces() {
        for (int pieceBytes : new int[] {4096, 1 << 20}) {
            for (int atOnce : new int[] {1, 2, 64}) {
                for (var options : new SimulatedCluster.Options[] {
                    SimulatedCluster.Options.defaults(),
                    SimulatedCluster.Options.defaults().variedBy(8),
                    SimulatedCluster.Options.defaults().variedBy(16)
                }) {
                    var small = SimulatedCluster.Gpu.small();
                    var pieces = new AcceleratorOptions(
                            16L << 20, pieceBytes, atOnce, small.options().deviceMemory());
                    try (var gpus = new GpuScenario(
                            atOnce, 2, options.withGpu(new SimulatedCluster.Gpu(pieces, small.device())))) {
                        exchangeAllSizes(gpus);
                        gpus.end();
                    }
                }
            }
        }
    }

    @Test
    void everySizeArrivesWithItsChecksum() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = new GpuScenario(seed, 2, validating(seed))) {
                exchangeAllSizes(gpus);
                assertThat(gpus.scenario.worker(1).manager.statistics().checksumMismatches())
                        .isZero();
                gpus.end();
            }
        }
    }

    @Test
    void smallOnesAreCarriedByTheRing() {
        try (var gpus =
                new GpuScenario(1, 2, SimulatedCluster.Options.defaults().withRingContent(4096))) {
            gpus.exchange(0, 1, 1, "edge", 100, 1);
            assertThat(gpus.scenario.worker(0).manager.statistics().tensorsCarried())
                    .isEqualTo(1);
            gpus.end();
        }
    }

    @Test
    void aDeadTensorOfAWorkerWithAnAcceleratorArrives() {
        try (var gpus = new GpuScenario(1, 2)) {
            gpus.scenario.worker(0).manager.rendezvous(1).sendDead(Scenario.key(0, 1, "edge"));
            var receive = gpus.scenario.receive(0, 1, 1, "edge");
            gpus.scenario.await(receive::hasEnded, "the receive ends");
            assertThat(receive.result()).isInstanceOf(RecvResult.Dead.class);
            gpus.end();
        }
    }

    /// Many at once, of which few find a proxy, go one after the other; a peer that stands still stops nobody.
    @Test
    void manyAtOnceWaitForProxies() {
        for (long seed = 0; seed < 24; seed++) {
            var gpu = new SimulatedCluster.Gpu(
                    AcceleratorOptions.defaults().withPieces(PIECE, 4).withProxyBytes(4 * PIECE),
                    SimulatedAcceleratorOptions.defaults());
            var options = SimulatedCluster.Options.defaults().variedBy(seed).withGpu(gpu);
            try (var gpus = new GpuScenario(seed, 3, options)) {
                gpus.exchange(0, 1, 1, "before", 10, 1);
                gpus.scenario.worker(1).pause(100 * MILLISECOND_NS);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 40; i++) {
                    int consumer = 1 + i % 2;
                    gpus.send(0, consumer, 1, "edge" + i, 1000 * i, i);
                    receives.add(gpus.scenario.receive(0, consumer, 1, "edge" + i));
                }
                gpus.scenario.awaitAll();
                for (int i = 0; i < receives.size(); i++) {
                    gpus.assertContent(receives.get(i), 1000 * i, i);
                }
                assertThat(gpus.statistics(0).proxyWaits()).isGreaterThan(0);
                assertThat(gpus.statistics(0).highWaterProxyBytes()).isLessThanOrEqualTo(2 * PIECE);
                gpus.end();
            }
        }
    }

    @Test
    void aTensorIsReadWhenItsEventIsReachedAndNotBefore() {
        for (int size : SIZES) {
            for (boolean withChecksum : new boolean[] {false, true}) {
                var options = withChecksum ? validating(4) : SimulatedCluster.Options.defaults();
                try (var gpus = new GpuScenario(size, 2, options)) {
                    var producer = gpus.new Producer();
                    Tensor tensor = gpus.tensor(0, new byte[size]).readyAfter(producer.event());
                    long address = tensor.address();
                    gpus.scenario.send(0, 1, 1, "edge", tensor);
                    var receive = gpus.scenario.receive(0, 1, 1, "edge");
                    gpus.scenario.runFor(10 * MILLISECOND_NS);
                    assertThat(receive.hasEnded()).isEqualTo(size == 0);
                    assertThat(gpus.statistics(0).sendProxyBytes()).isZero();
                    if (size > 0) {
                        gpus.gpu(0).poke(address, GpuScenario.content(size, 7));
                    }
                    producer.reach();
                    gpus.scenario.await(receive::hasEnded, "the receive ends");
                    gpus.assertContent(receive, size, 7);
                    gpus.end();
                    producer.assertNothingLeft();
                }
            }
        }
    }

    /// As one that a stream of the application copies to the host.
    @Test
    void aTensorOfTheHostWaitsForItsEventToo() {
        for (boolean registered : new boolean[] {true, false}) {
            try (var gpus = new GpuScenario(1, 2)) {
                var producer = gpus.new Producer();
                Tensor tensor = registered
                        ? Scenario.bytes(gpus.scenario.worker(0), 50_000, 1)
                        : TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(50_000));
                var content = tensor.segment();
                gpus.scenario.send(0, 1, 1, "edge", tensor.readyAfter(producer.event()));
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.runFor(10 * MILLISECOND_NS);
                assertThat(receive.hasEnded()).isFalse();
                content.fill((byte) 9);
                producer.reach();
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                gpus.scenario.assertContent(receive, 50_000, 9);
                gpus.end();
                producer.assertNothingLeft();
            }
        }
    }

    @Test
    void anEventThatIsNeverReachedHoldsNothingUp() {
        try (var gpus = new GpuScenario(1, 2)) {
            var producer = gpus.new Producer();
            for (int i = 0; i < 200; i++) {
                Tensor late = gpus.tensor(0, GpuScenario.content(10_000, i)).readyAfter(producer.event());
                gpus.scenario.send(0, 1, 2, "late" + i, late);
                gpus.scenario.receive(0, 1, 2, "late" + i);
            }
            gpus.scenario.runFor(MILLISECOND_NS);
            gpus.exchange(0, 1, 1, "edge", 100_000, 1);
            gpus.scenario.worker(0).manager.closeStep(2);
            gpus.scenario.awaitAll();
            gpus.end();
            producer.assertNothingLeft();
        }
    }

    @Test
    void aStepThatEndsWhileAnEventIsAwaitedEndsItsReceivesAndGivesTheTensorsBack() {
        for (boolean aborted : new boolean[] {true, false}) {
            try (var gpus = new GpuScenario(1, 2)) {
                var producer = gpus.new Producer();
                Tensor tensor = gpus.tensor(0, GpuScenario.content(10_000, 1));
                gpus.scenario.send(0, 1, 1, "edge", Watched.memoryOf(tensor).readyAfter(producer.event()));
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.runFor(5 * MILLISECOND_NS);
                if (aborted) {
                    gpus.scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.OUT_OF_RANGE, "no more of it");
                } else {
                    gpus.scenario.worker(0).manager.closeStep(1);
                }
                gpus.scenario.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(aborted ? StatusCode.OUT_OF_RANGE : StatusCode.ABORTED);
                assertThat(tensor.isClosed()).isTrue();
                gpus.end();
                producer.assertNothingLeft();
            }
        }
    }

    @Test
    void aReceiverThatGivesUpWhileTheEventIsAwaitedGivesTheTensorBack() {
        try (var gpus = new GpuScenario(1, 2)) {
            var producer = gpus.new Producer();
            Tensor tensor = gpus.tensor(0, GpuScenario.content(10_000, 1));
            gpus.scenario.send(0, 1, 1, "edge", Watched.memoryOf(tensor).readyAfter(producer.event()));
            var receive = gpus.scenario.receive(0, 1, 1, "edge");
            gpus.scenario.runFor(5 * MILLISECOND_NS);
            assertThat(receive.cancel()).isTrue();
            gpus.scenario.await(tensor::isClosed, "the tensor is given back");
            gpus.end();
            producer.assertNothingLeft();
        }
    }

    @Test
    void aProducerWhoseStreamFailsFailsTheReceive() {
        try (var gpus = new GpuScenario(1, 2)) {
            var producer = gpus.new Producer();
            Tensor tensor = gpus.tensor(0, GpuScenario.content(10_000, 1)).readyAfter(producer.event());
            gpus.scenario.send(0, 1, 1, "edge", tensor);
            var receive = gpus.scenario.receive(0, 1, 1, "edge");
            gpus.scenario.runFor(5 * MILLISECOND_NS);
            producer.fail();
            gpus.scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(receive.failure()).hasMessageContaining("the producer's stream has failed");
            assertThat(gpus.scenario.log.errors()).hasSize(1);
            gpus.scenario.log.forgetErrors();
            gpus.end();
        }
    }

    @Test
    void aHandleThatIsClosedAfterItWasSentChangesNothing() {
        for (boolean withEvent : new boolean[] {true, false}) {
            try (var gpus = new GpuScenario(1, 2)) {
                var producer = gpus.new Producer();
                Tensor tensor = gpus.tensor(0, GpuScenario.content(10_000, 1));
                if (withEvent) {
                    tensor.readyAfter(producer.event());
                }
                gpus.scenario.send(0, 1, 1, "edge", tensor);
                tensor.close();
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                if (withEvent) {
                    producer.reach();
                }
                gpus.scenario.await(receive::hasEnded, "the receive");
                gpus.assertContent(receive, 10_000, 1);
                gpus.exchange(0, 1, 1, "after", 10_000, 2);
                gpus.end();
                producer.assertNothingLeft();
            }
        }
    }

    @Test
    void anAcceleratorThatTheWorkerWasNotGivenIsRefusedAtOnce() {
        try (var gpus = new GpuScenario(1, 2)) {
            var stranger = new SimulatedAccelerator(
                    3, AcceleratorTime.of(gpus.scenario.fabric), 1, SimulatedAcceleratorOptions.defaults());
            Tensor tensor = GpuScenario.tensor(stranger, GpuScenario.content(10, 1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> gpus.scenario.send(0, 1, 1, "edge", tensor))
                    .withMessageContaining("is on GPU:3")
                    .withMessageContaining("was given GPU:0")
                    .withMessageContaining("TransportServerBuilder.accelerators");
            tensor.close();
            assertThat(stranger.leftOver()).isEmpty();
            gpus.exchange(0, 1, 1, "edge", 10, 2);
            gpus.end();
        }
    }

    @Test
    void aWorkerWithoutAcceleratorsRefusesAnEventToo() {
        try (var scenario = new Scenario(1, 2);
                var gpus = new GpuScenario(2, 1)) {
            var producer = gpus.new Producer();
            Tensor tensor = Scenario.bytes(scenario.worker(0), 10, 1).readyAfter(producer.event());
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scenario.send(0, 1, 1, "edge", tensor))
                    .withMessageContaining("waits for an event")
                    .withMessageContaining("was given no accelerator");
            tensor.close();
            producer.assertNothingLeft();
            scenario.exchange(0, 1, 1, "edge", 10, 2);
            scenario.end();
        }
    }

    /// Whether it was taken for a request on the channel, or is taken by the fallback, also while it is copied or
    /// written.
    @Test
    void overTheFallbackItComesByHostMemory() {
        long moved = 0;
        for (long seed = 0; seed < 48; seed++) {
            var options = SimulatedCluster.Options.defaults().withFallback();
            try (var gpus = new GpuScenario(seed, 2, options)) {
                if (seed % 2 == 0) {
                    gpus.send(0, 1, 1, "edge", 300_000, 1);
                    gpus.exchange(0, 1, 1, "before", 10, 2);
                }
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.runFor(20_000 * (seed / 2));
                gpus.scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 8 * SECOND_NS);
                if (seed % 2 == 1) {
                    gpus.send(0, 1, 1, "edge", 300_000, 1);
                }
                gpus.scenario.cluster.failCalls(1);
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                gpus.assertContent(receive, 300_000, 1);
                moved += gpus.scenario.worker(1).manager.statistics().fallbackReceives();
                gpus.end();
            }
        }
        assertThat(moved).isGreaterThan(24);
    }
}
