package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.EdgeChecks.assertFailed;
import static io.tensorferry.verbs.simulation.EdgeChecks.assertTakeFails;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Edges whose ends open, send, fail and end in every order.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EdgeScenarioTest {
    private static final int SEEDS = SeededRuns.ofScenario(200);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;
    private static final long[] SIZES = {0, 1, 100, 5_000, 20_000};

    private static Scenario scenario(long seed) {
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2_000_000);
        return new Scenario(seed, 2, 0, SimulatedCluster.Options.defaults().variedBy(seed), network);
    }

    private static StaticEdge drawn(Random random, String name) {
        StaticEdge edge = SimulatedStaticEdge.of(1, 0, name, SIZES[random.nextInt(SIZES.length)]);
        StaticEdge.Reuse[] reuses = StaticEdge.Reuse.values();
        edge = edge.withReuse(reuses[random.nextInt(reuses.length)]);
        return random.nextBoolean() ? edge.doubleBuffered() : edge;
    }

    private static void send(Scenario scenario, StaticSender sender, StaticEdge edge, int value) {
        // Also where the handle is closed while the tensor waits for its consumer.
        try (Tensor tensor = Scenario.bytes(scenario.worker(1), edge.tensorBytes(), value)) {
            sender.send(tensor);
        }
    }

    @Test
    void everyTensorArrivesOnceAndInOrder() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                var edges = new ArrayList<SimulatedEdge>();
                for (int i = 0; i < 4; i++) {
                    edges.add(new SimulatedStaticEdge(scenario, random, drawn(random, "edge" + i), 25));
                }
                scenario.await(() -> edges.stream().allMatch(SimulatedEdge::isDone), "all tensors");
                edges.forEach(SimulatedEdge::assertAllArrived);
                edges.forEach(SimulatedEdge::close);
                scenario.end();
            }
        }
    }

    @Test
    void aCutInTheMiddleLosesNothing() {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                var edges = new ArrayList<SimulatedEdge>();
                for (int i = 0; i < 4; i++) {
                    edges.add(new SimulatedStaticEdge(scenario, random, drawn(random, "edge" + i), 60));
                }
                scenario.fabric.schedule(
                        random.nextLong(6 * MILLISECOND_NS),
                        () -> scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS));
                scenario.await(() -> edges.stream().allMatch(SimulatedEdge::isDone), "all tensors");
                edges.forEach(SimulatedEdge::assertAllArrived);
                lost += scenario.worker(0).adapter.counters().failed();
                edges.forEach(SimulatedEdge::close);
                scenario.end();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(SEEDS / 2);
    }

    @Test
    void whatWasSentBeforeTheProducerClosesArrives() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", SIZES[(int) (seed % SIZES.length)]);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                StaticSender sender = scenario.worker(1).edges.openSender(edge);
                for (int i = 1; i <= 3; i++) {
                    send(scenario, sender, edge, i);
                }
                sender.close();
                assertThatIllegalStateException().isThrownBy(() -> send(scenario, sender, edge, 4));
                for (int i = 1; i <= 3; i++) {
                    scenario.await(receiver::poll, "a tensor");
                    receiver.take();
                    receiver.release();
                }
                scenario.await(receiver::poll, "the end");
                assertTakeFails(receiver, StatusCode.ABORTED, "the producer has closed");
                scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "both ends end");
                receiver.close();
                scenario.end();
            }
        }
    }

    @Test
    void aConsumerThatClosesFailsTheProducer() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 5_000).doubleBuffered();
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                StaticSender sender = scenario.worker(1).edges.openSender(edge);
                for (int i = 1; i <= 5; i++) {
                    send(scenario, sender, edge, i);
                }
                scenario.await(() -> sender.opened().isDone(), "the ends agree");
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                receiver.close();
                scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "both ends end");
                assertThatThrownBy(() -> send(scenario, sender, edge, 6))
                        .isInstanceOf(TransportException.class)
                        .hasMessageContaining("the consumer has closed");
                sender.close();
                // The key is free again.
                var next = new SimulatedStaticEdge(scenario, new Random(seed), edge, 3);
                scenario.await(next::isDone, "another edge of the same key");
                next.assertAllArrived();
                next.close();
                scenario.end();
            }
        }
    }

    @Test
    void anAbortReachesTheOtherEndBehindWhatWasWritten() {
        try (var scenario = new Scenario(1, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 100).doubleBuffered();
            StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
            StaticSender sender = scenario.worker(1).edges.openSender(edge);
            for (int i = 1; i <= 5; i++) {
                send(scenario, sender, edge, i);
            }
            scenario.runFor(10 * MILLISECOND_NS);
            sender.startAbort(new TransportException(StatusCode.INTERNAL, "the graph failed"));
            scenario.await(() -> receiver.ended().isDone(), "the consumer hears of it");
            for (int i = 1; i <= 2; i++) {
                Tensor tensor = receiver.take();
                assertThat(tensor.toString()).contains("100");
                receiver.release();
            }
            assertTakeFails(receiver, StatusCode.INTERNAL, "the graph failed");
            receiver.close();
            sender.close();

            StaticReceiver aborting = scenario.worker(0).edges.openReceiver(edge);
            StaticSender aborted = scenario.worker(1).edges.openSender(edge);
            scenario.await(() -> aborted.opened().isDone(), "the ends agree");
            aborting.startAbort(new TransportException(StatusCode.CANCELLED, "no more"));
            scenario.await(() -> aborted.ended().isDone(), "the producer hears of it");
            assertThatThrownBy(() -> send(scenario, aborted, edge, 6)).hasMessageContaining("no more");
            assertTakeFails(aborting, StatusCode.CANCELLED, "no more");
            aborting.close();
            scenario.end();
        }
    }

    @Test
    void endsThatDisagreeFailBothAndNoMore() {
        try (var scenario = new Scenario(2, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 100);
            StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
            StaticSender sender = scenario.worker(1).edges.openSender(edge.doubleBuffered());
            assertFailed(scenario, receiver.opened(), StatusCode.INVALID_ARGUMENT, "1 places");
            assertFailed(scenario, sender.opened(), StatusCode.INVALID_ARGUMENT, "2 places");
            assertTakeFails(receiver, StatusCode.INVALID_ARGUMENT, "disagree");
            receiver.close();
            scenario.exchange(1, 0, 1, "other", 100, 1);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void aPlaceThatIsWrittenTooEarlyFailsTheEdge() {
        try (var scenario = new Scenario(3, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 100).withReuse(StaticEdge.Reuse.DEPENDENCY);
            StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
            StaticSender sender = scenario.worker(1).edges.openSender(edge);
            send(scenario, sender, edge, 1);
            send(scenario, sender, edge, 2);
            scenario.await(() -> receiver.ended().isDone() && sender.ended().isDone(), "the edge fails");
            receiver.take();
            assertTakeFails(receiver, StatusCode.FAILED_PRECONDITION, "before tensor 0");
            receiver.close();
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void aTensorWhoseMemoryIsNotRegisteredAnyMoreFailsTheEdgeAtBothEnds() {
        try (var scenario = new Scenario(6, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 100).doubleBuffered();
            StaticSender sender = scenario.worker(1).edges.openSender(edge);
            send(scenario, sender, edge, 1);
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = arena.allocate(100);
                try (var _ = scenario.worker(1).adapter.memory().register(memory)) {
                    sender.send(Tensor.wrap(edge.dataType(), edge.shape(), memory, () -> {}));
                }
            }
            send(scenario, sender, edge, 3);
            StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
            scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "the edge fails");
            receiver.take();
            receiver.release();
            assertTakeFails(receiver, StatusCode.INTERNAL, "cannot be read");
            receiver.close();
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void aPeerThatDiesFailsItsEdges() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge there = SimulatedStaticEdge.of(1, 0, "there", 5_000);
                StaticEdge back = SimulatedStaticEdge.of(0, 1, "back", 5_000);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(there);
                StaticSender gone = scenario.worker(1).edges.openSender(there);
                StaticReceiver goneToo = scenario.worker(1).edges.openReceiver(back);
                StaticSender sender = scenario.worker(0).edges.openSender(back);
                scenario.await(
                        () -> sender.opened().isDone() && receiver.opened().isDone(), "the ends agree");
                for (int i = 0; i < 3; i++) {
                    sender.send(Scenario.bytes(scenario.worker(0), 5_000, i));
                    send(scenario, gone, there, i);
                }
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                scenario.cluster.kill(scenario.worker(1));
                scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "the ends fail");
                while (receiver.poll()) {
                    try {
                        receiver.take();
                        receiver.release();
                    } catch (TransportException e) {
                        assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
                        break;
                    }
                }
                receiver.close();
                assertThat(goneToo.ended()).isNotDone();
                scenario.end();
            }
        }
    }

    @Test
    void aPeerThatIsRestartedBeginsAnew() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 5_000);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                StaticSender before = scenario.worker(1).edges.openSender(edge);
                scenario.await(
                        () -> before.opened().isDone() && receiver.opened().isDone(), "the ends agree");
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                scenario.cluster.restart(scenario.worker(1));
                scenario.await(() -> receiver.ended().isDone(), "the end of the earlier life fails");
                receiver.close();
                var next = new SimulatedStaticEdge(scenario, new Random(seed), edge, 3);
                scenario.await(next::isDone, "an edge of the next life");
                next.assertAllArrived();
                next.close();
                scenario.end();
            }
        }
    }

    @Test
    void whoeverStopsEndsItsEdges() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                List<SimulatedEdge> edges = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    edges.add(new SimulatedStaticEdge(scenario, random, drawn(random, "edge" + i), 1_000));
                }
                scenario.await(
                        () -> edges.stream()
                                .allMatch(edge -> edge.sender.opened().isDone()),
                        "the ends agree");
                scenario.runFor(random.nextLong(20 * MILLISECOND_NS));
                int stopping = (int) (seed % 2);
                scenario.worker(stopping).edges.close();
                scenario.await(
                        () -> edges.stream()
                                .allMatch(edge -> edge.sender.ended().isDone()
                                        && edge.receiver.ended().isDone()),
                        "all ends end");
                scenario.runFor(SECOND_NS);
                edges.forEach(SimulatedEdge::close);
                assertThatThrownBy(() -> scenario.worker(stopping)
                                .edges
                                .openSender(SimulatedStaticEdge.of(stopping, 1 - stopping, "late", 1)))
                        .hasMessageContaining("is stopping");
                scenario.end();
            }
        }
    }

    @Test
    void anEndIsOpenedOnceAndOnItsOwnWorker() {
        try (var scenario = new Scenario(4, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 100);
            StaticSender sender = scenario.worker(1).edges.openSender(edge);
            assertThatIllegalStateException()
                    .isThrownBy(() -> scenario.worker(1).edges.openSender(edge))
                    .withMessageContaining("is open already");
            assertThatThrownBy(() -> scenario.worker(0).edges.openSender(edge))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("task:1");
            assertThatThrownBy(() -> scenario.worker(1).edges.openReceiver(edge))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("task:0");
            sender.close();
            scenario.await(() -> sender.ended().isDone(), "it ends without the other");
            scenario.end();
        }
    }

    @Test
    void aKeyThatNoOfferHoldsIsRefused() {
        try (var scenario = new Scenario(5, 2)) {
            StaticEdge edge = SimulatedStaticEdge.of(1, 0, "e".repeat(600), 100);
            assertThatThrownBy(() -> scenario.worker(0).edges.openReceiver(edge))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("too long");
            assertThatThrownBy(() -> scenario.worker(1).edges.openSender(edge))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("too long");
            scenario.end();
        }
    }

    @Test
    void anEndThatOpensWhileItsWorkerStopsIsRefused() {
        try (var scenario = new Scenario(6, 2)) {
            StaticReceiver receiver = scenario.worker(0).edges.openReceiver(SimulatedStaticEdge.of(1, 0, "edge", 100));
            StaticSender sender = scenario.worker(0).edges.openSender(SimulatedStaticEdge.of(0, 1, "edge", 100));
            scenario.worker(0).edges.close();
            scenario.await(() -> receiver.ended().isDone() && sender.ended().isDone(), "both end");
            assertTakeFails(receiver, StatusCode.UNAVAILABLE, "is stopping");
            assertFailed(scenario, sender.opened(), StatusCode.UNAVAILABLE, "is stopping");
            receiver.close();
            scenario.end();
        }
    }

    @Test
    void aConsumerThatClosesWhileThereIsNoChannelFailsTheProducer() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", 5_000);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                StaticSender sender = scenario.worker(1).edges.openSender(edge);
                scenario.await(
                        () -> sender.opened().isDone() && receiver.opened().isDone(), "the ends agree");
                scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
                for (int i = 0; i < 3; i++) {
                    send(scenario, sender, edge, i);
                }
                scenario.await(() -> scenario.worker(0).adapter.counters().failed() > 0, "the channel is lost");
                receiver.close();
                // Those that wait for a place keep it from ending by itself.
                sender.close();
                scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "both ends end");
                scenario.end();
            }
        }
    }

    @Test
    void anEndThatIsClosedNoLongerWaitsForAChannel() {
        try (var scenario = new Scenario(1, 1, 1, SimulatedCluster.Options.defaults(), Scenario.network())) {
            for (int i = 0; i < 100; i++) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge" + i, 100);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                scenario.runFor(MILLISECOND_NS);
                assertThat(scenario.worker(0).adapter.counters().waiting()).isEqualTo(1);
                receiver.close();
                scenario.runFor(MILLISECOND_NS);
                assertThat(scenario.worker(0).adapter.counters().waiting()).isZero();
            }
            scenario.end();
        }
    }
}
