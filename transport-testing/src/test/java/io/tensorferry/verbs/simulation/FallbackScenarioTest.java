package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// No channel can be set up, so receives go over the fallback, and later back: every receive gets its tensor once.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FallbackScenarioTest {
    private static final int SEEDS = SeededRuns.ofScenario(100);
    private static final int TENSORS = 60;
    // Longer than the patience with a peer that has gone.
    private static final long LONG_CUT_NS = 8 * SECOND_NS;

    private static Scenario scenario(long seed) {
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2_000_000);
        return new Scenario(seed, 2, 0, SimulatedCluster.Options.defaults().withFallback(), network);
    }

    private static PeerStatus.State state(Scenario scenario, int worker) {
        return scenario.worker(worker).adapter.peers().getFirst().state();
    }

    private static long fallbackReceives(Scenario scenario, int worker) {
        return scenario.worker(worker).manager.statistics().fallbackReceives();
    }

    private static void cut(Scenario scenario, long nanoseconds) {
        scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), nanoseconds);
    }

    @Test
    void aCutThatDoesNotEndSoonMovesTheTrafficToTheFallbackAndBack() {
        long moved = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                var traffic = new RandomTraffic(scenario, random, 4 * MILLISECOND_NS);
                scenario.fabric.schedule(random.nextLong(4 * MILLISECOND_NS), () -> {
                    cut(scenario, LONG_CUT_NS);
                    // Where the set-up fails it fails for another reason than where it succeeds in vain.
                    scenario.cluster.failCalls(random.nextInt(2));
                });
                traffic.await();
                assertThat(Duration.ofNanos(scenario.fabric.now())).isLessThan(Duration.ofNanos(LONG_CUT_NS));
                traffic.assertOnceAndRight();
                scenario.exchange(0, 1, 1, "during", 10_000, 1);
                moved += fallbackReceives(scenario, 0) + fallbackReceives(scenario, 1);
                scenario.cluster.failCalls(0);
                scenario.runFor(LONG_CUT_NS);

                scenario.exchange(0, 1, 1, "wakes the link", 10, 2);
                scenario.runFor(15 * SECOND_NS);
                long before = fallbackReceives(scenario, 1);
                scenario.exchange(0, 1, 1, "after", 10_000, 3);
                assertThat(state(scenario, 1)).isEqualTo(PeerStatus.State.OPEN);
                assertThat(fallbackReceives(scenario, 1)).isEqualTo(before);
                scenario.end();
            }
        }
        assertThat(moved).as("receives that went over the fallback").isGreaterThan(SEEDS);
    }

    @Test
    void cutAgainAndAgainNothingIsLostOrComesTwice() {
        long moved = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                // A claim may come long after the channel that follows is open.
                scenario.cluster.slowFallback(1 + random.nextLong(SECOND_NS));
                var traffic = new RandomTraffic(scenario, random, 40 * SECOND_NS);
                for (int i = 0; i < 8; i++) {
                    scenario.fabric.schedule(
                            random.nextLong(40 * SECOND_NS), () -> cut(scenario, random.nextLong(6 * SECOND_NS)));
                }
                scenario.runFor(40 * SECOND_NS);
                traffic.await();
                traffic.assertOnceAndRight();
                moved += fallbackReceives(scenario, 0) + fallbackReceives(scenario, 1);
                scenario.end();
            }
        }
        assertThat(moved).as("receives that went over the fallback").isGreaterThan(SEEDS);
    }

    @Test
    void theTensorsOfOneKeyComeInTheirOrderWhateverWayTheyTake() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                scenario.cluster.slowFallback(1 + random.nextLong(SECOND_NS));
                var receives = new ArrayList<Scenario.Receive>();
                long[] moments =
                        random.longs(2L * TENSORS, 0, 20 * SECOND_NS).sorted().toArray();
                int sends = 0;
                for (long moment : moments) {
                    if (sends < TENSORS && random.nextBoolean()) {
                        int value = sends++;
                        scenario.fabric.schedule(moment, () -> scenario.send(0, 1, 1, "queue", 5_000, value));
                    } else {
                        scenario.fabric.schedule(moment, () -> receives.add(scenario.receive(0, 1, 1, "queue")));
                    }
                }
                for (int i = 0; i < 4; i++) {
                    scenario.fabric.schedule(
                            random.nextLong(20 * SECOND_NS), () -> cut(scenario, random.nextLong(6 * SECOND_NS)));
                }
                scenario.runFor(20 * SECOND_NS);
                int answered = Math.min(sends, receives.size());
                scenario.await(
                        () -> receives.stream()
                                        .filter(Scenario.Receive::hasEnded)
                                        .count()
                                == answered,
                        "every tensor that was sent");
                for (int i = 0; i < answered; i++) {
                    scenario.assertContent(receives.get(i), 5_000, i);
                }
                scenario.closeSteps();
                scenario.awaitAll();
                scenario.end();
            }
        }
    }

    @Test
    void whileTheFallbackIsInUseAReceiveDoesNotWaitForAChannel() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            cut(scenario, 100 * SECOND_NS);
            scenario.send(0, 1, 1, "moves", 10, 1);
            var moving = scenario.receive(0, 1, 1, "moves");
            scenario.await(moving::hasEnded, "the receive that moves");
            scenario.assertContent(moving, 10, 1);
            PeerStatus status = scenario.worker(1).adapter.peers().getFirst();
            assertThat(status.state()).isEqualTo(PeerStatus.State.FALLBACK);
            assertThat(status.channel()).isNull();
            assertThat(status.failure()).isNotNull();
            for (int i = 0; i < 20; i++) {
                long startNs = scenario.fabric.now();
                scenario.exchange(0, 1, 1, "edge" + i, 100, i);
                assertThat(Duration.ofNanos(scenario.fabric.now() - startNs)).isLessThan(Duration.ofMillis(20));
                scenario.runFor(SECOND_NS);
            }
            assertThat(scenario.worker(0).manager.statistics().fallbackRequests())
                    .isEqualTo(21);
            scenario.end();
        }
    }

    @Test
    void aSetUpThatFailsForGoodMovesTheReceivesAtOnce() {
        try (var scenario = scenario(1)) {
            scenario.cluster.failCallsWith(StatusCode.FAILED_PRECONDITION);
            scenario.cluster.failCalls(1);
            scenario.exchange(0, 1, 1, "first", 10_000, 1);
            assertThat(Duration.ofNanos(scenario.fabric.now())).isLessThan(Duration.ofMillis(20));
            PeerStatus status = scenario.worker(1).adapter.peers().getFirst();
            assertThat(status.state()).isEqualTo(PeerStatus.State.FALLBACK);
            assertThat(Objects.requireNonNull(status.failure()).code()).isEqualTo(StatusCode.FAILED_PRECONDITION);

            scenario.cluster.failCalls(0);
            scenario.await(() -> state(scenario, 1) == PeerStatus.State.OPEN, "a channel in the end");
            assertThat(Duration.ofNanos(scenario.fabric.now())).isLessThan(Duration.ofSeconds(6));
            scenario.exchange(0, 1, 1, "second", 10_000, 2);
            assertThat(fallbackReceives(scenario, 1)).isEqualTo(1);
            scenario.end();
        }
    }

    @Test
    void aDeviceThatBreaksForGoodMovesWhatIsUnderWay() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                var traffic = new RandomTraffic(scenario, random, 4 * MILLISECOND_NS);
                String broken = SimulatedCluster.name((int) (seed % 2));
                scenario.fabric.schedule(random.nextLong(4 * MILLISECOND_NS), () -> scenario.fabric.failDevice(broken));
                traffic.await();
                traffic.assertOnceAndRight();
                assertThat(scenario.log.errors()).hasSize(1).first().asString().contains("DEVICE_FATAL");
                scenario.log.forgetErrors();
                scenario.end();
            }
        }
    }

    @Test
    void whereTheFallbackDoesNotComeThroughEitherReceivesAreUnavailable() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            scenario.cluster.cutFallback(true);
            cut(scenario, 100 * SECOND_NS);
            var receive = scenario.receive(0, 1, 1, "edge");
            scenario.send(0, 1, 1, "edge", 10, 2);
            scenario.await(receive::hasEnded, "the receive ends");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(Duration.ofNanos(scenario.fabric.now())).isLessThan(Duration.ofSeconds(5));
            scenario.end();
        }
    }

    @Test
    void aPeerThatIsGoneIsUnavailable() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            var asked = scenario.receive(0, 1, 1, "asked");
            scenario.runFor(SECOND_NS);
            scenario.cluster.kill(scenario.worker(0));
            long killedAtNs = scenario.fabric.now();
            scenario.await(asked::hasEnded, "the receive ends");
            assertThat(asked.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(Duration.ofNanos(scenario.fabric.now() - killedAtNs)).isLessThan(Duration.ofSeconds(5));
            scenario.end();
        }
    }

    @Test
    void aPeerThatWasRestartedDoesNotGoOnWithWhatItsEarlierLifeWasAsked() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            var asked = scenario.receive(0, 1, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            scenario.cluster.failCalls(1);
            scenario.cluster.restart(scenario.worker(0));
            scenario.send(0, 1, 1, "edge", 10, 2);
            scenario.await(asked::hasEnded, "the receive ends");
            assertThat(asked.code()).isEqualTo(StatusCode.ABORTED);
            scenario.exchange(0, 1, 2, "of the new life", 10, 3);
            scenario.end();
        }
    }

    @Test
    void aReceiveThatIsCancelledOnTheFallbackLeavesNothing() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                scenario.exchange(0, 1, 1, "before", 10, 1);
                scenario.cluster.slowFallback(1 + random.nextLong(50 * MILLISECOND_NS));
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 20; i++) {
                    receives.add(scenario.receive(0, 1, 1, "edge" + i % 7));
                }
                scenario.runFor(MILLISECOND_NS);
                cut(scenario, LONG_CUT_NS);
                for (int i = 0; i < 20; i++) {
                    String edge = "edge" + i % 7;
                    scenario.fabric.schedule(
                            random.nextLong(5 * SECOND_NS), () -> scenario.send(0, 1, 1, edge, 6_000, 1));
                    var receive = receives.get(i);
                    scenario.fabric.schedule(random.nextLong(6 * SECOND_NS), receive::cancel);
                }
                scenario.runFor(LONG_CUT_NS);
                scenario.awaitAll();
                for (var receive : receives) {
                    if (!(receive.result() instanceof RecvResult.Received)) {
                        assertThat(receive.code()).isEqualTo(StatusCode.CANCELLED);
                    }
                    receive.close();
                }
                scenario.runFor(10 * SECOND_NS);
                scenario.exchange(0, 1, 2, "after", 10, 2);
                scenario.end();
            }
        }
    }

    /// The peer does not have the first for their key yet, so that the others wait here.
    @Test
    void receivesThatAreCancelledBehindAnotherOfTheirKeyLeaveAtOnce() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            cut(scenario, 100 * SECOND_NS);
            scenario.send(0, 1, 1, "moves", 10, 1);
            var moving = scenario.receive(0, 1, 1, "moves");
            scenario.await(moving::hasEnded, "the fallback is in use");
            moving.close();
            scenario.cluster.slowFallback(10 * SECOND_NS);
            var first = scenario.receive(0, 1, 1, "edge");
            var second = scenario.receive(0, 1, 1, "edge");
            for (int i = 0; i < 1_000; i++) {
                scenario.receive(0, 1, 1, "edge").cancel();
            }
            scenario.runFor(MILLISECOND_NS);
            assertThat(scenario.worker(1).manager.statistics().pendingRequests())
                    .isEqualTo(2);
            scenario.send(0, 1, 1, "edge", 10, 2);
            scenario.send(0, 1, 1, "edge", 10, 3);
            scenario.await(() -> first.hasEnded() && second.hasEnded(), "those that were not cancelled");
            scenario.assertContent(first, 10, 2);
            scenario.assertContent(second, 10, 3);
            scenario.end();
        }
    }

    @Test
    void aTensorThatNobodyClaimsIsGivenBackInTheEnd() {
        try (var scenario = scenario(1)) {
            scenario.exchange(0, 1, 1, "before", 10, 1);
            scenario.exchange(1, 0, 1, "before", 10, 1);
            // Those of the ring, while there is a channel or one is set up.
            long inUse = scenario.worker(0).adapter.memory().statistics().bytesInUse();
            var cancelled = scenario.receive(0, 1, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            cut(scenario, 100 * SECOND_NS);
            scenario.send(0, 1, 1, "edge", 100_000, 2);
            cancelled.cancel();
            scenario.runFor(5 * SECOND_NS);
            assertThat(scenario.worker(0).manager.statistics().pendingResponses())
                    .isEqualTo(1);
            scenario.runFor(7 * SECOND_NS);
            assertThat(scenario.worker(0).manager.statistics().pendingResponses())
                    .isZero();
            assertThat(scenario.worker(0).adapter.memory().statistics().bytesInUse())
                    .isLessThan(inUse + 90_000);
            scenario.end();
        }
    }
}
