package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A channel is lost in the middle of the work and another one is set up: every receive gets its tensor, once.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RecoveryScenarioTest {
    private static final int SEEDS = SeededRuns.ofScenario(200);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;

    // Each message takes milliseconds, so that a cut finds some on their way.
    private static final SimulatedFabricOptions SLOW = new SimulatedFabricOptions(
            MILLISECOND_NS, 2 * MILLISECOND_NS, 10_000, 0, 0, 0, 0, _ -> false, 4096, 1L << 30);

    private static Scenario scenario(long seed, boolean validating) {
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2_000_000);
        var options = validating ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
        return new Scenario(seed, 2, 0, options.variedBy(seed), network);
    }

    @Test
    void aCutInTheMiddleOfTheTrafficLosesNoReceive() {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, seed % 5 == 0)) {
                var random = new Random(seed);
                var traffic = new RandomTraffic(scenario, random, 4 * MILLISECOND_NS);
                scenario.fabric.schedule(random.nextLong(4 * MILLISECOND_NS), () -> cut(scenario));
                traffic.await();
                traffic.assertOnceAndRight();
                lost += scenario.worker(0).adapter.counters().failed();
                scenario.end();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(SEEDS / 2);
    }

    private static void cut(Scenario scenario) {
        scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
    }

    @Test
    void tensorsOfOneKeyKeepTheirOrder() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, false)) {
                scenario.exchange(1, 0, 1, "before", 10, 1);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 20; i++) {
                    receives.add(scenario.receive(1, 0, 1, "queue"));
                }
                for (int i = 0; i < 10; i++) {
                    scenario.send(1, 0, 1, "queue", 6_000, i);
                }
                scenario.runFor(new Random(seed).nextLong(300_000));
                cut(scenario);
                scenario.runFor(new Random(seed).nextLong(CUT_NS));
                for (int i = 10; i < 20; i++) {
                    scenario.send(1, 0, 1, "queue", 6_000, i);
                }
                scenario.awaitAll();
                for (int i = 0; i < 20; i++) {
                    scenario.assertContent(receives.get(i), 6_000, i);
                }
                scenario.end();
            }
        }
    }

    @Test
    void whatIsCancelledWhileTheChannelIsGoneIsNotKeptByTheSender() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed, false)) {
                scenario.exchange(1, 0, 1, "before", 10, 1);
                var cancelled = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 10; i++) {
                    cancelled.add(scenario.receive(1, 0, 1, "edge" + i));
                    scenario.send(1, 0, 1, "edge" + i, 6_000, i);
                }
                scenario.runFor(new Random(seed).nextLong(200_000));
                cut(scenario);
                scenario.runFor(SECOND_NS);
                cancelled.forEach(Scenario.Receive::cancel);
                scenario.runFor(5 * SECOND_NS);
                for (var receive : cancelled) {
                    assertThat(receive.hasEnded()).isTrue();
                    receive.close();
                }
                scenario.exchange(1, 0, 1, "after", 10, 2);
                scenario.end();
            }
        }
    }

    @Test
    void aPeerThatComesBackTooLateGetsNothingOfWhatWasDropped() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed, false)) {
                scenario.exchange(1, 0, 1, "before", 10, 1);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 10; i++) {
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    if (i % 2 == 0) {
                        scenario.send(1, 0, 1, "edge" + i, 6_000, i);
                    }
                }
                scenario.runFor(new Random(seed).nextLong(200_000));
                scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 20 * SECOND_NS);
                scenario.awaitAll();
                for (var receive : receives) {
                    if (!(receive.result() instanceof RecvResult.Received)) {
                        assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
                    }
                    receive.close();
                }
                assertThat(scenario.worker(0).adapter.peers())
                        .extracting(PeerStatus::state)
                        .containsExactly(PeerStatus.State.DOWN);
                scenario.closeSteps();
                scenario.runFor(20 * SECOND_NS);
                scenario.exchange(1, 0, 2, "after", 10, 2);
                assertThat(scenario.worker(0).adapter.peers())
                        .extracting(PeerStatus::state)
                        .containsExactly(PeerStatus.State.OPEN);
                scenario.end();
            }
        }
    }

    /// The producer gives a consumer up and drops its tensors. Then the consumer comes back and asks again, and the
    /// refusals are lost with the new channel.
    @Test
    void whatWasDroppedIsRefusedOnEveryLaterChannel() {
        int cutInTime = 0;
        for (long seed = 0; seed < 50; seed++) {
            var options = SimulatedCluster.Options.defaults().variedBy(seed);
            try (var scenario = new Scenario(seed, 2, 0, options, SLOW)) {
                scenario.exchange(1, 0, 1, "before", 10, 1);
                scenario.await(scenario::isQuiet, "the first transfer has ended at both ends");
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 10; i++) {
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    scenario.send(1, 0, 1, "edge" + i, 6_000, i);
                }
                scenario.await(
                        () -> scenario.worker(1).manager.statistics().pendingResponses() == receives.size(),
                        "the producer has taken the tensors");
                scenario.worker(0).pause(10 * SECOND_NS);
                scenario.await(() -> channelsOf(scenario.worker(1)) == 2, "the consumer comes back");
                scenario.runFor(new Random(seed).nextLong(5 * MILLISECOND_NS));
                cutInTime += receives.stream().anyMatch(Scenario.Receive::hasEnded) ? 0 : 1;
                cut(scenario);
                scenario.awaitAll();
                for (var receive : receives) {
                    assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
                }
                scenario.end();
            }
        }
        assertThat(cutInTime).as("cuts before a refusal arrived").isPositive();
    }

    /// Two channels are lost in a row, and the message that a tensor cannot be sent is lost with each of them.
    @Test
    void aFailureAtTheProducerIsRepeatedOnEveryLaterChannel() {
        int cutInTime = 0;
        for (long seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            var options = SimulatedCluster.Options.defaults().variedBy(seed);
            try (var scenario = new Scenario(seed, 2, 0, options, SLOW)) {
                scenario.exchange(1, 0, 1, "before", 10, 1);
                scenario.await(scenario::isQuiet, "the first transfer has ended at both ends");
                var receive = scenario.receive(1, 0, 1, "edge");
                scenario.await(
                        () -> scenario.worker(1).manager.statistics().pendingResponses() == 1,
                        "the producer has the request");
                // Against the rules: it is to live until the tensor's last handle is closed.
                try (Arena tooShort = Arena.ofShared()) {
                    MemorySegment memory = tooShort.allocate(16, 4);
                    scenario.send(1, 0, 1, "edge", Tensor.wrap(DataType.FLOAT, Shape.of(4), memory, () -> {}));
                }
                scenario.runFor(random.nextLong(MILLISECOND_NS));
                // The calls too: the next channel opens when the network has healed.
                scenario.cluster.cut(scenario.worker(0), scenario.worker(1), CUT_NS);
                scenario.await(() -> channelsOf(scenario.worker(1)) == 2, "the consumer asks again");
                scenario.runFor(random.nextLong(5 * MILLISECOND_NS));
                cutInTime += receive.hasEnded() ? 0 : 1;
                cut(scenario);
                scenario.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
                scenario.end();
            }
        }
        assertThat(cutInTime).as("cuts before a refusal arrived").isPositive();
    }

    private static long channelsOf(SimulatedCluster.Worker worker) {
        return worker.adapter.peers().getFirst().epoch();
    }

    @Test
    void aPeerThatIsSeenToRecoverSaysWhy() {
        try (var scenario = scenario(1, false)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            PeerStatus open = scenario.worker(0).adapter.peers().getFirst();
            assertThat(open.state()).isEqualTo(PeerStatus.State.OPEN);
            assertThat(open.epoch()).isEqualTo(1);
            assertThat(open.channel()).isNotNull();
            var receive = scenario.receive(1, 0, 1, "later");
            scenario.runFor(MILLISECOND_NS);
            scenario.fabric.isolate(SimulatedCluster.name(1), CUT_NS);
            scenario.cluster.failCalls(1);
            scenario.await(
                    () -> scenario.worker(0).adapter.peers().getFirst().state() == PeerStatus.State.RECOVERING,
                    "the loss is noticed");
            PeerStatus recovering = scenario.worker(0).adapter.peers().getFirst();
            assertThat(recovering.channel()).isNull();
            assertThat(recovering.failure()).isNotNull();
            scenario.cluster.failCalls(0);
            scenario.send(1, 0, 1, "later", 10, 2);
            scenario.await(receive::hasEnded, "the receive goes on");
            scenario.assertContent(receive, 10, 2);
            assertThat(scenario.worker(0).adapter.peers().getFirst().epoch()).isGreaterThan(1);
            scenario.end();
        }
    }

    @Test
    void aPeerThatStandsStillForAShortWhileIsNotGivenUp() {
        try (var scenario = scenario(2, false)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            scenario.worker(1).pause(800 * MILLISECOND_NS);
            scenario.runFor(2 * SECOND_NS);
            scenario.send(1, 0, 1, "edge", 10, 2);
            scenario.await(receive::hasEnded, "the tensor");
            scenario.assertContent(receive, 10, 2);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            assertThat(scenario.worker(1).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    /// Its device answers all the while, as a network card does for a process that is stopped.
    @Test
    void aPeerThatStandsStillIsDeclaredDeadWithinItsTimeout() {
        try (var scenario = scenario(3, false)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            long stoppedAtNs = scenario.fabric.now();
            scenario.worker(1).pause(30 * SECOND_NS);
            scenario.await(() -> scenario.worker(0).adapter.counters().failed() == 1, "the channel is lost");
            assertThat(Duration.ofNanos(scenario.fabric.now() - stoppedAtNs))
                    .isBetween(Duration.ofMillis(800), Duration.ofMillis(1010));
            scenario.await(receive::hasEnded, "the receive ends");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            scenario.closeSteps();
            scenario.runFor(40 * SECOND_NS);
            scenario.exchange(1, 0, 2, "after", 10, 2);
            scenario.end();
        }
    }

    /// All that was posted has completed, and there are no credits for more: nothing would be posted that could fail.
    @Test
    void aPeerThatVanishesIsNoticedWhereNothingMayBeSent() {
        var channel = new ChannelOptions(
                1,
                16,
                4096,
                Duration.ofMillis(100),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(3),
                Duration.ZERO);
        var options = SimulatedCluster.Options.defaults().withChannel(channel);
        try (var scenario = new Scenario(5, 2, 0, options, SimulatedFabricOptions.defaults())) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            scenario.worker(1).pause(60 * SECOND_NS);
            for (int i = 0; i < 100; i++) {
                scenario.receive(1, 0, 1, "edge" + i);
            }
            scenario.runFor(SECOND_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.cluster.kill(scenario.worker(1));
            scenario.runFor(2 * SECOND_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isEqualTo(1);
            scenario.awaitAll();
            scenario.end();
        }
    }

    @Test
    void idleChannelsStayOpen() {
        try (var scenario = scenario(4, false)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            scenario.runFor(100 * SECOND_NS);
            for (var worker : List.of(scenario.worker(0), scenario.worker(1))) {
                assertThat(worker.adapter.counters().failed()).isZero();
            }
            scenario.exchange(1, 0, 1, "after", 10, 2);
            scenario.end();
        }
    }
}
