package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.PieceStage.PIECE;
import static io.tensorferry.verbs.simulation.PieceStage.Round.RECEIVES;
import static io.tensorferry.verbs.simulation.PieceStage.end;
import static io.tensorferry.verbs.simulation.PieceStage.exchange;
import static io.tensorferry.verbs.simulation.PieceStage.slowScenario;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.simulation.PieceStage.Round;
import io.tensorferry.verbs.wire.Immediate;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whatever goes wrong while a content comes in pieces: every receive ends once, rightly, and nothing is left.
@Timeout(300)
class PieceFaultTest {
    private static final int SEEDS = SeededRuns.ofScenario(200);
    private static final int BREAKS = SeededRuns.ofScenario(150);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;
    // Within it all that happens to the receives of a round happens.
    private static final long ROUND_NS = 2 * MILLISECOND_NS;

    private final TransportException fault =
            new TransportException(StatusCode.INTERNAL, "cuMemcpyAsync: an illegal address, on purpose");

    @Test
    void receivesThatAreGivenUpAtAnyMomentLeaveNothing() {
        int came = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var random = new Random(seed);
                var round = new Round(gpus);
                for (var receive : round.receives) {
                    gpus.scenario.fabric.schedule(random.nextLong(ROUND_NS), receive::cancel);
                }
                gpus.scenario.awaitAll();
                came += round.closeAll(StatusCode.CANCELLED);
                exchange(gpus, "after", 5 * PIECE, 2, seed % 2 == 0);
                end(gpus);
            }
        }
        assertThat(came).as("that came before").isBetween(SEEDS / 2, SEEDS * (RECEIVES - 1));
    }

    /// At each of its moments: some microseconds later each time.
    @Test
    void aReceiveThatIsGivenUpLeavesNothing() {
        int came = 0;
        for (int moment = 0; moment < 400; moment++) {
            try (var gpus = PieceStage.scenario(moment % 28)) {
                exchange(gpus, "before", 10, 1, true);
                PieceStage.send(gpus, "edge", 5 * PIECE, 2, moment % 2 == 0);
                var receive = PieceStage.receive(gpus, "edge", Delivery.COMPLETE);
                gpus.scenario.runFor(moment * 1_500L);
                receive.cancel();
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                if (!receive.isFailure()) {
                    came++;
                    PieceStage.assertContent(gpus, receive, 5 * PIECE, 2);
                }
                gpus.scenario.await(gpus::isQuiet, "both ends have everything back");
                exchange(gpus, "after", 5 * PIECE, 3, moment % 2 == 0);
                end(gpus);
            }
        }
        assertThat(came).as("that came before").isBetween(10, 390);
    }

    @Test
    void aChannelThatIsLostCostsNoReceive() {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var round = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                gpus.scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
                gpus.scenario.awaitAll();
                assertThat(round.closeAll()).isEqualTo(RECEIVES);
                lost += gpus.scenario.worker(0).adapter.counters().failed();
                end(gpus);
            }
        }
        assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS / 2);
    }

    /// Some are given up before the channel is lost, some after, and the others come.
    @Test
    void giveUpsAndALostChannelTogetherLeaveNothing() {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var random = new Random(seed);
                var round = new Round(gpus);
                for (int i = 0; i < RECEIVES; i += 2) {
                    gpus.scenario.fabric.schedule(random.nextLong(ROUND_NS), round.receives.get(i)::cancel);
                }
                gpus.scenario.runFor(random.nextLong(ROUND_NS));
                gpus.scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
                gpus.scenario.awaitAll();
                assertThat(round.closeAll(StatusCode.CANCELLED)).isGreaterThanOrEqualTo(RECEIVES / 2);
                lost += gpus.scenario.worker(0).adapter.counters().failed();
                exchange(gpus, "after", 5 * PIECE, 2, seed % 2 == 0);
                end(gpus);
            }
        }
        assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS / 2);
    }

    @Test
    void aSenderThatIsKilledOrRestartedLeavesNothingHere() {
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var round = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                boolean restarted = seed % 2 == 0;
                if (restarted) {
                    gpus.scenario.cluster.restart(gpus.scenario.worker(1));
                } else {
                    gpus.scenario.cluster.kill(gpus.scenario.worker(1));
                }
                gpus.scenario.runFor(10 * SECOND_NS);
                if (restarted) {
                    gpus.scenario.worker(0).manager.closeStep(1);
                }
                gpus.scenario.awaitAll();
                round.closeAll(StatusCode.UNAVAILABLE, StatusCode.ABORTED);
                end(gpus);
            }
        }
    }

    @Test
    void aReceiverThatDiesLeavesNothingAtTheSender() {
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var _ = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                gpus.scenario.cluster.restart(gpus.scenario.worker(0));
                gpus.scenario.worker(1).manager.closeStep(1);
                gpus.scenario.runFor(10 * SECOND_NS);
                gpus.scenario.cluster.living().forEach(worker -> worker.manager.closeStep(1));
                exchange(gpus, "after", 5 * PIECE, 3, seed % 2 == 0);
                end(gpus);
            }
        }
    }

    /// Of the sender's, or of the receiver's: each receive ends, with its tensor or with what the driver said.
    @Test
    void anAcceleratorMayBreakAtAnyMoment() {
        int came = 0;
        int failed = 0;
        for (long seed = 0; seed < BREAKS; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var round = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                int broken = (int) (seed % 2);
                if (seed % 4 < 2) {
                    gpus.gpu(broken).failNextCopy(fault);
                } else {
                    gpus.gpu(broken).breakDevice(fault);
                }
                gpus.scenario.awaitAll();
                gpus.scenario.runFor(10 * MILLISECOND_NS);
                for (var receive : round.receives) {
                    if (receive.isFailure()) {
                        failed++;
                        assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
                        assertThat(receive.failure()).hasMessageContaining("on purpose");
                    } else {
                        came++;
                        receive.close();
                    }
                }
                gpus.scenario.exchange(1, 0, 1, "host", 40_000, 3);
                gpus.scenario.closeSteps();
                gpus.scenario.await(gpus::isQuiet, "nothing is under way any more");
                gpus.scenario.log.forgetErrors();
                gpus.scenario.cluster.close();
                gpus.scenario.log.assertNoErrors();
                for (int i = 0; i < 2; i++) {
                    assertThat(gpus.gpu(i).mistakes()).isEmpty();
                }
            }
        }
        assertThat(came).isGreaterThan(BREAKS / 2);
        assertThat(failed).isGreaterThan(BREAKS / 2);
    }

    @Test
    void contentThatDoesNotMatchItsChecksumIsDataLoss() {
        var network = SimulatedFabricOptions.defaults()
                .withCorruptionProbability(0.04)
                .withCorruptible(immediate -> immediate != Immediate.CONTROL_MESSAGE);
        int came = 0;
        long lost = 0;
        // Those of the seeds with which contents are validated.
        for (long seed = 4; seed < 124; seed += 5) {
            try (var gpus = new GpuScenario(seed, 2, PieceStage.options(seed), network)) {
                long before = lost;
                for (int i = 0; i < 10; i++) {
                    PieceStage.send(gpus, "edge" + i, 5 * PIECE, i, i % 2 == 0);
                    var receive = PieceStage.receive(gpus, "edge" + i, Delivery.COMPLETE);
                    gpus.scenario.await(receive::hasEnded, "the receive ends");
                    if (receive.isFailure()) {
                        assertThat(receive.code()).isEqualTo(StatusCode.DATA_LOSS);
                        lost++;
                    } else {
                        came++;
                        PieceStage.assertContent(gpus, receive, 5 * PIECE, i);
                    }
                }
                assertThat(gpus.scenario.worker(0).manager.statistics().checksumMismatches())
                        .isEqualTo(lost - before);
                end(gpus);
            }
        }
        assertThat(came).as("that came").isGreaterThan(20);
        assertThat(lost).as("that did not").isGreaterThan(20);
    }

    @Test
    void aStepMayEndAtAnyMomentOnEitherSide() {
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            try (var gpus = slowScenario(seed)) {
                var round = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(8 * ROUND_NS));
                var rendezvous = gpus.scenario.worker((int) (seed % 2)).manager.rendezvous(1);
                rendezvous.startAbort(StatusCode.DATA_LOSS, "the user's reason");
                gpus.scenario.awaitAll();
                round.closeAll(StatusCode.DATA_LOSS);
                end(gpus);
            }
        }
    }

    @Test
    void theTransportMayStopAtAnyMoment() {
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            try (var gpus = slowScenario(seed)) {
                exchange(gpus, "before", 10, 1, true);
                var round = new Round(gpus);
                gpus.scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                gpus.scenario.cluster.close();
                gpus.scenario.runFor(10 * MILLISECOND_NS);
                round.close();
                for (int i = 0; i < 2; i++) {
                    assertThat(gpus.gpu(i).mistakes()).isEmpty();
                    assertThat(gpus.statistics(i).strandedBytes()).isZero();
                }
                gpus.scenario.log.assertNoErrors();
            }
        }
    }
}
