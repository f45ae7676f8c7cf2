package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What passes a limit fails by itself: nothing else does, and afterwards everything works as before.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LimitScenarioTest {
    private static Scenario with(RendezvousLimits limits) {
        return new Scenario(1, 2, 1, SimulatedCluster.Options.defaults().withLimits(limits), Scenario.network());
    }

    private static void assertExhausted(Scenario.Receive receive, String why) {
        assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(receive.failure()).hasMessageContaining(why);
    }

    private static void assertNoChannelWasLost(Scenario scenario) {
        for (int i = 0; i < 2; i++) {
            assertThat(scenario.worker(i).adapter.counters().failed()).isZero();
            assertThat(scenario.worker(i).adapter.counters().protocolViolations())
                    .isZero();
        }
    }

    @Test
    void sendsThatNobodyAsksForArePiledUpToTheLimit() {
        try (var scenario = with(RendezvousLimits.defaults().withUnclaimed(10, 10_000))) {
            for (int i = 0; i < 10; i++) {
                scenario.send(1, 0, 1, "edge" + i, 1000, i);
            }
            Tensor refused = Scenario.bytes(scenario.worker(1), 1, 0);
            assertThatThrownBy(() -> scenario.send(1, 0, 1, "edge10", refused))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
            assertThat(refused.isClosed()).as("its owner's still").isFalse();
            refused.close();
            // Another step has room of its own, and what is asked for makes room.
            scenario.exchange(1, 0, 2, "other", 1000, 1);
            var receive = scenario.receive(1, 0, 1, "edge3");
            scenario.await(receive::hasEnded, "a receive");
            scenario.assertContent(receive, 1000, 3);
            scenario.send(1, 0, 1, "edge10", 1000, 10);
            scenario.end();
        }
    }

    @Test
    void aTensorOverTheLimitFailsItsReceiveAlone() {
        try (var scenario = with(RendezvousLimits.defaults().withTensorBytes(5_000))) {
            scenario.exchange(1, 0, 1, "edge", 5_000, 1);
            scenario.send(1, 0, 1, "edge", 5_001, 2);
            var large = scenario.receive(1, 0, 1, "edge");
            scenario.send(
                    1,
                    0,
                    1,
                    "strings",
                    TensorAllocator.unregistered().allocateStrings(Shape.of(1), List.of(new byte[6_000])));
            var strings = scenario.receive(1, 0, 1, "strings");
            var other = scenario.receive(1, 0, 1, "other");
            scenario.await(() -> large.hasEnded() && strings.hasEnded(), "the receives fail");
            assertExhausted(large, "5001 bytes was announced; the limit is 5000 bytes");
            assertExhausted(strings, "the limit is 5000");
            scenario.send(1, 0, 1, "other", 100, 3);
            scenario.await(other::hasEnded, "others go on");
            scenario.assertContent(other, 100, 3);
            scenario.exchange(1, 0, 1, "edge", 5_000, 4);
            assertNoChannelWasLost(scenario);
            scenario.end();
        }
    }

    @Test
    void requestsOverTheLimitOfAPeerAreRefusedEachByItself() {
        try (var scenario = with(RendezvousLimits.defaults().withPeer(50, 1000))) {
            scenario.exchange(1, 0, 1, "edge", 100, 1);
            List<Scenario.Receive> parked = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                parked.add(scenario.receive(1, 0, 1, "parked" + i));
            }
            scenario.runFor(10 * MILLISECOND_NS);
            for (int i = 0; i < 500; i++) {
                var refused = scenario.receive(1, 0, 1, "refused" + i % 5);
                scenario.await(refused::hasEnded, "the receive is refused");
                assertExhausted(refused, "50 requests of this peer");
                assertThat(refused.failure().peer()).isEqualTo(SimulatedCluster.name(1));
            }
            for (int i = 0; i < 50; i++) {
                scenario.send(1, 0, 1, "parked" + i, 100, i);
            }
            scenario.awaitAll();
            for (int i = 0; i < 50; i++) {
                scenario.assertContent(parked.get(i), 100, i);
            }
            scenario.exchange(1, 0, 1, "refused0", 100, 2);
            assertNoChannelWasLost(scenario);
            scenario.end();
        }
    }

    /// The receiver has the content before the sender is told that it was written.
    @Test
    void aPeerAtItsLimitMayAskAgainAsSoonAsItIsAnswered() {
        try (var scenario = with(RendezvousLimits.defaults().withPeer(1, 1000))) {
            for (int i = 0; i < 500; i++) {
                scenario.send(1, 0, 1, "edge", 100 + 2_000 * (i % 2), i % 127);
            }
            for (int i = 0; i < 500; i++) {
                var receive = scenario.receive(1, 0, 1, "edge");
                scenario.await(receive::hasEnded, "a receive");
                scenario.assertContent(receive, 100 + 2_000 * (i % 2), i % 127);
            }
            assertNoChannelWasLost(scenario);
            scenario.end();
        }
    }

    @Test
    void stepsOverTheLimitOfAPeerAreRefusedEachByItself() {
        try (var scenario = with(RendezvousLimits.defaults().withPeer(1000, 5))) {
            List<Scenario.Receive> early = new ArrayList<>();
            for (int step = 1; step <= 5; step++) {
                early.add(scenario.receive(1, 0, step, "early"));
            }
            scenario.runFor(10 * MILLISECOND_NS);
            var refused = scenario.receive(1, 0, 6, "early");
            scenario.await(refused::hasEnded, "the receive is refused");
            assertExhausted(refused, "5 steps");
            for (int step = 1; step <= 5; step++) {
                scenario.send(1, 0, step, "early", 100, step);
            }
            scenario.awaitAll();
            for (int step = 1; step <= 5; step++) {
                scenario.assertContent(early.get(step - 1), 100, step);
            }
            scenario.exchange(1, 0, 6, "early", 100, 6);
            assertNoChannelWasLost(scenario);
            scenario.end();
        }
    }

    @Test
    void nobodyButMembersGetsAChannelOrIsRemembered() {
        try (var scenario = new Scenario(2, 2)) {
            String stranger = "/job:stranger/replica:0/task:0";
            try (var attacker = new Attacker(scenario.fabric, stranger, new Random(1))) {
                attacker.offer(scenario.worker(0).adapter.acceptor());
                scenario.await(attacker::hasFailed, "the offer is refused");
                assertThat(attacker.refusal())
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                e -> assertThat(e.code()).isEqualTo(StatusCode.PERMISSION_DENIED));
            }
            var connected = scenario.worker(0).adapter.connect(stranger);
            scenario.await(connected::isDone, "no channel to a stranger");
            assertThatThrownBy(connected::join)
                    .isInstanceOf(CompletionException.class)
                    .hasMessageContaining("PERMISSION_DENIED");
            assertThat(scenario.worker(0).adapter.peers()).isEmpty();
            scenario.exchange(1, 0, 1, "edge", 100, 1);
            scenario.end();
        }
    }

    /// A worker that was stopped for long while its peer asked for very much, and both the other way round.
    @Test
    void bothEndsAskForMuchAndFallAsleepByTurns() {
        try (var scenario = with(RendezvousLimits.defaults())) {
            int count = 5_000;
            List<Scenario.Receive> receives = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                receives.add(scenario.receive(1, 0, 1, "there" + i % 100));
                receives.add(scenario.receive(0, 1, 1, "back" + i % 100));
            }
            for (int i = 0; i < count; i++) {
                scenario.send(1, 0, 1, "there" + i % 100, 1 + i % 7, i % 127);
                scenario.send(0, 1, 1, "back" + i % 100, 1 + i % 7, i % 127);
                if (i % 500 == 0) {
                    scenario.worker(i / 500 % 2).pause(2 * MILLISECOND_NS);
                    scenario.runFor(MILLISECOND_NS);
                }
            }
            scenario.awaitAll();
            for (int i = 0; i < receives.size(); i++) {
                scenario.assertContent(receives.get(i), 1 + i / 2 % 7, i / 2 % 127);
            }
            assertNoChannelWasLost(scenario);
            assertThat(scenario.fabric.now()).isLessThan(30 * SECOND_NS);
            scenario.end();
        }
    }

    @Test
    void emptyTensorsOfAHugeShapeTakeNoMemory() {
        try (var scenario = with(RendezvousLimits.defaults().withTensorBytes(1))) {
            Tensor empty =
                    scenario.worker(1).adapter.memory().allocator().allocate(DataType.FLOAT, Shape.of(0, 1L << 40));
            scenario.send(1, 0, 1, "empty", empty);
            var receive = scenario.receive(1, 0, 1, "empty");
            scenario.await(receive::hasEnded, "an empty tensor");
            receive.tensor().close();
            scenario.end();
        }
    }
}
