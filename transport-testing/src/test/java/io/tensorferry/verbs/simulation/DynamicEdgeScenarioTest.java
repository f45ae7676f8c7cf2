package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.EdgeChecks.assertFailed;
import static io.tensorferry.verbs.simulation.EdgeChecks.assertTakeFails;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Dynamic edges whose ends fail and end at chosen moments of a tensor's way.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DynamicEdgeScenarioTest {
    private static final int SEEDS = SeededRuns.ofScenario(100);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;
    private static final int BYTES = 20_000;
    private static final int LIMIT = 1 << 20;

    private static final SimulatedFabricOptions NETWORK =
            SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2 * MILLISECOND_NS);

    private static Scenario scenario(long seed) {
        return scenario(seed, SimulatedCluster.Options.defaults().variedBy(seed));
    }

    private static Scenario scenario(long seed, SimulatedCluster.Options options) {
        return new Scenario(seed, 2, 0, options, NETWORK);
    }

    private static DynamicEdge edge(String name) {
        return DynamicEdge.of(Scenario.key(1, 0, name)).withSlots(3);
    }

    /// Both ends of an edge from worker 1 to worker 0.
    static final class Ends {
        final Scenario scenario;
        final SimulatedCluster.Worker consumer;
        final SimulatedCluster.Worker producer;
        final DynamicReceiver receiver;
        final DynamicSender sender;
        final List<Tensor> tensors = new ArrayList<>();
        private int sent;
        private int taken;

        Ends(Scenario scenario, DynamicEdge edge) {
            this.scenario = scenario;
            this.consumer = scenario.worker(0);
            this.producer = scenario.worker(1);
            this.receiver = consumer.edges.openReceiver(edge);
            this.sender = producer.edges.openSender(edge);
        }

        static Ends opened(Scenario scenario) {
            var ends = new Ends(scenario, edge("edge"));
            ends.awaitOpen();
            return ends;
        }

        void awaitOpen() {
            scenario.await(() -> sender.opened().isDone() && receiver.opened().isDone(), "the ends agree");
        }

        void send(int count, long bytes) {
            for (int i = 0; i < count; i++) {
                Tensor memory = sender.allocator().allocate(DataType.UINT8, Shape.of(bytes));
                memory.segment().fill((byte) sent++);
                tensors.add(memory);
                try (Tensor tensor = Watched.memoryOf(memory)) {
                    sender.send(tensor);
                }
            }
        }

        void send(int count) {
            send(count, BYTES);
        }

        void take(int count) {
            for (int i = 0; i < count; i++) {
                scenario.await(receiver::poll, "a tensor");
                try (Tensor tensor = receiver.take()) {
                    assertThat(tensor.segment().toArray(ValueLayout.JAVA_BYTE))
                            .as("tensor %d, seed %d", taken, scenario.seed)
                            .containsOnly((byte) taken);
                }
                taken++;
            }
        }

        /// Takes what has arrived, and then hears why there is no more.
        void takeUntilItFails(StatusCode code, String why) {
            while (receiver.poll() && taken < consumer.edges.statistics().tensorsReceived()) {
                take(1);
            }
            scenario.await(receiver::poll, "the end");
            assertTakeFails(receiver, code, why);
        }

        void awaitEnd() {
            scenario.await(() -> sender.ended().isDone(), "the producer's end ends");
            assertClosed();
            scenario.await(() -> receiver.ended().isDone(), "the consumer's end ends");
        }

        void assertClosed() {
            assertThat(tensors).as("tensors that were sent").allMatch(Tensor::isClosed);
        }

        void close() {
            sender.close();
            receiver.close();
            awaitEnd();
        }

        long consumersBytes() {
            return consumer.adapter.memory().statistics().bytesInUse();
        }

        /// The consumer has memory for a tensor, and reads.
        void awaitRead() {
            long before = consumersBytes();
            scenario.await(() -> consumersBytes() > before, "a tensor is read");
        }

        void cut() {
            scenario.cluster.cut(consumer, producer, CUT_NS);
        }

        void assertLostChannels(boolean some) {
            long lost = consumer.adapter.counters().failed();
            assertThat(lost > 0)
                    .as("%d lost channels, seed %d", lost, scenario.seed)
                    .isEqualTo(some);
            assertThat(consumer.adapter.counters().protocolViolations()).isZero();
            assertThat(producer.adapter.counters().protocolViolations()).isZero();
        }
    }

    enum Moment {
        ANNOUNCED {
            @Override
            void await(Ends ends) {
                // It is on its way.
            }
        },
        READING {
            @Override
            void await(Ends ends) {
                ends.awaitRead();
            }
        },
        READ {
            @Override
            void await(Ends ends) {
                ends.scenario.await(ends.receiver::poll, "a tensor is read");
            }
        };

        abstract void await(Ends ends);
    }

    @ParameterizedTest
    @EnumSource
    void aChannelThatIsLostLosesNoTensor(Moment moment) {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(8);
                moment.await(ends);
                ends.cut();
                ends.take(8);
                ends.assertLostChannels(true);
                assertThat(ends.consumer.edges.statistics().tensorsReceived()).isEqualTo(8);
                ends.close();
                assertThat(ends.producer.edges.statistics().tensorsSent()).isEqualTo(8);
                scenario.end();
            }
        }
    }

    /// The last word comes before the tensors are read, and again behind them.
    @ParameterizedTest
    @EnumSource
    void whatWasSentBeforeTheProducerClosesArrivesOverTheNextChannel(Moment moment) {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                int count = 1 + (int) (seed % 4);
                ends.send(count);
                ends.sender.close();
                moment.await(ends);
                ends.cut();
                ends.take(count);
                ends.takeUntilItFails(StatusCode.ABORTED, "the producer has closed");
                ends.awaitEnd();
                lost += ends.consumer.adapter.counters().failed();
                ends.receiver.close();
                scenario.end();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(SEEDS / 2);
    }

    @Test
    void aConsumerThatTakesNothingHoldsTwiceTheSlotsAtMost() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(30);
                for (int channel = 0; channel < 4; channel++) {
                    scenario.runFor(SECOND_NS);
                    assertThat(ends.consumer.edges.statistics().tensorsReceived())
                            .as("tensors that are here, seed %d", seed)
                            .isBetween(3L, 6L);
                    long lost = ends.consumer.adapter.counters().failed();
                    scenario.fabric.failNextSend(SimulatedCluster.name(0), WorkStatus.RETRY_EXC_ERR);
                    scenario.await(() -> ends.consumer.adapter.counters().failed() > lost, "the channel is lost");
                }
                ends.take(30);
                assertThat(ends.consumer.adapter.counters().protocolViolations())
                        .isZero();
                ends.close();
                scenario.end();
            }
        }
    }

    @Test
    void aConsumerThatDiesFailsTheProducer() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(8);
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                scenario.cluster.kill(ends.consumer);
                scenario.await(() -> ends.sender.ended().isDone(), "the producer's end fails");
                ends.assertClosed();
                assertThatThrownBy(() -> ends.send(1))
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE));
                scenario.end();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProducerThatDiesFailsTheConsumerBehindWhatWasRead(boolean restarted) {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(8);
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                if (restarted) {
                    scenario.cluster.restart(ends.producer);
                } else {
                    scenario.cluster.kill(ends.producer);
                }
                scenario.await(() -> ends.receiver.ended().isDone(), "the consumer's end fails");
                ends.take((int) ends.consumer.edges.statistics().tensorsReceived());
                assertThatThrownBy(ends.receiver::take)
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                e -> assertThat(e.code()).isIn(StatusCode.UNAVAILABLE, StatusCode.ABORTED));
                ends.receiver.close();
                if (restarted) {
                    var next = new Ends(scenario, edge("edge"));
                    next.send(3);
                    next.take(3);
                    next.close();
                }
                scenario.end();
            }
        }
    }

    @Test
    void aConsumerWithoutMemoryEndsTheEdgeAndNothingElse() {
        for (var scope : RemoteKeyScope.values()) {
            var options =
                    SimulatedCluster.Options.defaults().withRkeyScope(scope).withLimit(LIMIT);
            try (var scenario = scenario(1, options)) {
                var ends = Ends.opened(scenario);
                var held = new ArrayList<Tensor>();
                while (ends.consumersBytes() + BYTES <= LIMIT) {
                    held.add(Scenario.bytes(ends.consumer, 1024, 0));
                }
                ends.send(5);
                ends.awaitEnd();
                ends.takeUntilItFails(StatusCode.RESOURCE_EXHAUSTED, "the limit is " + LIMIT);
                assertThatThrownBy(() -> ends.send(1))
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
                ends.assertClosed();
                ends.receiver.close();
                held.forEach(Tensor::close);
                var next = new Ends(scenario, edge("edge"));
                next.send(5);
                next.take(5);
                next.assertLostChannels(false);
                next.close();
                scenario.end();
            }
        }
    }

    @Test
    void anAbortOfTheProducerReachesTheConsumerBehindWhatWasAnnounced() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(8);
                ends.awaitRead();
                ends.sender.startAbort(new TransportException(StatusCode.INTERNAL, "the graph failed"));
                scenario.await(() -> ends.receiver.ended().isDone(), "the consumer hears of it");
                ends.take(3);
                ends.takeUntilItFails(StatusCode.INTERNAL, "the graph failed");
                ends.awaitEnd();
                ends.assertLostChannels(false);
                ends.receiver.close();
                scenario.end();
            }
        }
    }

    /// With a key for each tensor, a READ of one that is the producer's again would fail the channel.
    @Test
    void aConsumerThatGivesUpWhileItReadsEndsItsReadsFirst() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(8, 200_000);
                ends.awaitRead();
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS / 20));
                ends.receiver.startAbort(new TransportException(StatusCode.CANCELLED, "no more"));
                ends.awaitEnd();
                ends.takeUntilItFails(StatusCode.CANCELLED, "no more");
                assertThatThrownBy(() -> ends.send(1)).hasMessageContaining("no more");
                ends.assertLostChannels(false);
                ends.receiver.close();
                scenario.end();
            }
        }
    }

    /// The consumer is done with its number and its key before the producer's windows are closed: they wait behind
    /// what else is written over their lanes.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConsumerThatHasEndedUsesItsNumberAgainAtOnce(boolean givesUp) {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var ends = Ends.opened(scenario);
                ends.send(3);
                var busy = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 4; i++) {
                    scenario.send(1, 0, 1, "busy" + i, 1_000_000, i);
                    busy.add(scenario.receive(1, 0, 1, "busy" + i));
                }
                scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS / 2));
                if (givesUp) {
                    ends.receiver.startAbort(new TransportException(StatusCode.CANCELLED, "no more"));
                } else {
                    ends.sender.close();
                    ends.take(3);
                }
                scenario.await(() -> ends.receiver.ended().isDone(), "the consumer's end ends");
                ends.receiver.close();
                DynamicReceiver again = ends.consumer.edges.openReceiver(edge("edge"));
                var other = new Ends(scenario, edge("other"));
                other.send(3);
                other.take(3);
                other.assertLostChannels(false);
                scenario.await(() -> ends.sender.ended().isDone(), "the producer's end ends");
                DynamicSender sender = ends.producer.edges.openSender(edge("edge"));
                scenario.await(() -> again.opened().isDone(), "the ends agree");
                assertThat(again.opened()).isCompleted();
                sender.close();
                again.close();
                ends.close();
                other.close();
                scenario.awaitAll();
                busy.forEach(Scenario.Receive::close);
                scenario.await(() -> sender.ended().isDone() && again.ended().isDone(), "both ends end");
                scenario.end();
            }
        }
    }

    @Test
    void aHandleThatIsClosedAfterItWasSentChangesNothing() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                var sender = scenario.worker(1).edges.openSender(edge("edge"));
                for (int i = 0; i < 3; i++) {
                    try (Tensor tensor = sender.allocator().allocate(DataType.UINT8, Shape.of(BYTES))) {
                        tensor.segment().fill((byte) i);
                        sender.send(tensor);
                    }
                }
                var receiver = scenario.worker(0).edges.openReceiver(edge("edge"));
                for (int i = 0; i < 3; i++) {
                    scenario.await(receiver::poll, "a tensor arrives");
                    try (Tensor tensor = receiver.take()) {
                        assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1))
                                .isEqualTo((byte) i);
                    }
                }
                sender.close();
                scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "the edge ends");
                receiver.close();
                scenario.end();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whereOneEndReadsNothingBothEndsSaySo(int worker) {
        var options = SimulatedCluster.Options.defaults();
        try (var scenario = scenario(1, options)) {
            scenario.cluster.restart(
                    scenario.worker(worker),
                    options.withChannel(options.channel().withReadsAtOnce(0)));
            var ends = new Ends(scenario, edge("edge"));
            ends.send(2);
            assertFailed(scenario, ends.receiver.opened(), StatusCode.INVALID_ARGUMENT, "the channel has no reads");
            assertFailed(scenario, ends.sender.opened(), StatusCode.INVALID_ARGUMENT, "the channel has no reads");
            ends.awaitEnd();
            ends.takeUntilItFails(StatusCode.INVALID_ARGUMENT, "the channel has no reads");
            ends.assertLostChannels(false);
            ends.close();
            scenario.exchange(1, 0, 1, "other", 100, 1);
            scenario.end();
        }
    }

    /// The consumer is done with it, but its key still opens it to the peer.
    @Test
    void memoryIsUsedAgainWhenItsWindowIsClosedAndNotBefore() {
        var options = SimulatedCluster.Options.defaults().withRkeyScope(RemoteKeyScope.REQUEST);
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, options)) {
                var ends = Ends.opened(scenario);
                ends.send(1);
                scenario.await(
                        () -> ends.producer.edges.statistics().tensorsSent() == 1, "the producer hears of the release");
                assertThat(ends.tensors.getFirst().isClosed()).isFalse();
                scenario.await(() -> ends.tensors.getFirst().isClosed(), "its window is closed");
                ends.take(1);
                ends.close();
                scenario.end();
            }
        }
    }
}
