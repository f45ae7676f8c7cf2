package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.HEALTHY;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a member that breaks the rules of edges can do to a worker: end its own channel, and nothing else.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileEdgeTest {
    private static final long SEED = 20_260_102;
    private static final int BYTES = 100;
    private static final int OPENING = 77;

    record Attack(String name, Consumer<Field> action) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Attack attack(String name, Consumer<Field> action) {
        return new Attack(name, action);
    }

    /// The exchange over static edges.
    private static final class Field extends HostileField {
        int opening = OPENING;

        Field(HostileStage stage) {
            super(stage);
        }

        static StaticEdge edge(int producer, int consumer, String name) {
            return SimulatedStaticEdge.of(producer, consumer, name, BYTES);
        }

        StaticSender sender(StaticEdge edge) {
            return add(stage.victim.edges.openSender(edge));
        }

        /// The victim's end of an edge to the attacker, which has accepted the attacker's memory; `tensors` tensors of
        /// it are written.
        StaticSender accepted(String name, int tensors) {
            StaticSender sender = sender(edge(VICTIM, ATTACKER, name));
            offer(7, name, 0, 0);
            stage.await(() -> sender.opened().isDone(), "the offer is accepted");
            for (int i = 0; i < tensors; i++) {
                send(sender);
            }
            stage.settle();
            return sender;
        }

        void send(StaticSender sender) {
            try (Tensor tensor = Scenario.bytes(stage.victim, BYTES, 1)) {
                sender.send(tensor);
            }
        }

        void offer(int number, String name, long received, int unreleased) {
            offer(number, Scenario.key(VICTIM, ATTACKER, name).toString(), received > 0, received, unreleased);
        }

        void offer(int number, String key, boolean resumed, long received, int unreleased) {
            stage.attacker.send(new Message.EdgeOffer(
                    number,
                    key,
                    TensorMetaData.of(DataType.UINT8, Shape.of(BYTES)),
                    1,
                    true,
                    resumed,
                    opening,
                    received,
                    unreleased,
                    stage.attacker.contentAddress(),
                    stage.attacker.contentKey()));
        }

        /// The victim's offer of an edge that the attacker is to fill.
        Message.EdgeOffer offered(StaticEdge edge) {
            add(stage.victim.edges.openReceiver(edge));
            return take(Message.EdgeOffer.class);
        }

        Message.EdgeOffer offered(String name) {
            return offered(edge(ATTACKER, VICTIM, name));
        }

        void write(Message.EdgeOffer offer) {
            stage.attacker.content(Immediate.ofEdge(offer.edge()), BYTES, offer.address(), offer.remoteKey());
        }
    }

    static Stream<Attack> violations() {
        return Stream.of(
                attack("an offer under no key", field -> field.offer(1, "no key", false, 0, 0)),
                attack(
                        "an offer to another producer",
                        field -> field.offer(
                                1, Scenario.key(HEALTHY, ATTACKER, "edge").toString(), false, 0, 0)),
                attack(
                        "an offer of another consumer",
                        field -> field.offer(
                                1, Scenario.key(VICTIM, HEALTHY, "edge").toString(), false, 0, 0)),
                attack("one offer twice, which nobody has accepted", field -> {
                    field.offer(1, "edge", 0, 0);
                    field.offer(2, "edge", 0, 0);
                }),
                attack("one number for two offers, which nobody has accepted", field -> {
                    field.offer(1, "edge", 0, 0);
                    field.offer(1, "another", 0, 0);
                }),
                attack("one offer twice, which was accepted", field -> {
                    field.accepted("edge", 1);
                    field.offer(8, "edge", 0, 0);
                }),
                attack("one offer twice, as if there had been another channel", field -> {
                    field.accepted("edge", 1);
                    field.offer(8, Scenario.key(VICTIM, ATTACKER, "edge").toString(), true, 1, 0);
                }),
                attack("the number of an edge that was accepted", field -> {
                    field.accepted("edge", 0);
                    field.offer(7, "another", 0, 0);
                }),
                attack(
                        "tensors that have arrived before the first offer",
                        field -> field.offer(
                                1, Scenario.key(VICTIM, ATTACKER, "edge").toString(), false, Long.MAX_VALUE, 0)),
                attack("a credit for more than was written", field -> {
                    field.accepted("edge", 1);
                    field.credit(7, 2);
                }),
                attack("a credit for a huge number", field -> {
                    field.accepted("edge", 1);
                    field.credit(7, Long.MAX_VALUE);
                }),
                attack("a credit that goes back", field -> {
                    field.accepted("edge", 1);
                    field.credit(7, 1);
                    field.credit(7, 0);
                }),
                attack("a credit in an edge without credits", field -> {
                    StaticEdge edge = Field.edge(VICTIM, ATTACKER, "edge").withReuse(StaticEdge.Reuse.DEPENDENCY);
                    StaticSender sender = field.sender(edge);
                    field.stage.attacker.send(new Message.EdgeOffer(
                            7,
                            edge.key().toString(),
                            TensorMetaData.of(DataType.UINT8, Shape.of(BYTES)),
                            1,
                            false,
                            false,
                            OPENING,
                            0,
                            0,
                            field.stage.attacker.contentAddress(),
                            field.stage.attacker.contentKey()));
                    field.stage.await(() -> sender.opened().isDone(), "the offer is accepted");
                    field.credit(7, 0);
                }),
                attack(
                        "a tensor of an edge that was not offered",
                        field -> field.stage.attacker.immediate(Attacker.LANE, Immediate.ofEdge(40_000))),
                attack(
                        "a tensor of an edge on the control queue pair",
                        field -> field.stage.attacker.immediate(
                                Attacker.CONTROL,
                                Immediate.ofEdge(field.offered("edge").edge()))),
                attack("a tensor without a credit", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.OK);
                    field.write(offer);
                    field.write(offer);
                }),
                attack("a third tensor into two places", field -> {
                    Message.EdgeOffer offer =
                            field.offered(Field.edge(ATTACKER, VICTIM, "edge").doubleBuffered());
                    field.write(offer);
                    field.write(offer);
                    field.write(offer);
                }),
                attack("a tensor behind the last", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.write(offer);
                    field.stage.settle();
                    field.status(offer.edge(), 1, StatusCode.ABORTED);
                    field.stage.settle();
                    field.stage.attacker.immediate(Attacker.LANE, Immediate.ofEdge(offer.edge()));
                }),
                attack("a status of an edge that was not offered", field -> field.status(40_000, 0, StatusCode.OK)),
                attack("an edge that is accepted twice", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.OK);
                    field.status(offer.edge(), 0, StatusCode.OK);
                }),
                attack(
                        "an edge that is accepted with another count",
                        field -> field.status(field.offered("edge").edge(), 1, StatusCode.OK)),
                attack("an end behind more tensors than there are places", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), Long.MAX_VALUE, StatusCode.ABORTED);
                }),
                attack("an edge that is ended twice", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.OK);
                    field.status(offer.edge(), 1, StatusCode.ABORTED);
                    field.status(offer.edge(), 1, StatusCode.ABORTED);
                }),
                attack("an edge that is ended when it has ended", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.ABORTED);
                    field.status(offer.edge(), 0, StatusCode.ABORTED);
                }),
                attack("an edge that ends with fewer tensors than have arrived", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.OK);
                    field.write(offer);
                    field.stage.settle();
                    field.status(offer.edge(), 0, StatusCode.ABORTED);
                }));
    }

    /// What a peer sends that has not heard yet, or that says more than it must.
    static Stream<Attack> harmless() {
        return Stream.of(
                attack("a credit for an edge that is unknown", field -> field.credit(40_000, 3)),
                attack("the end of an edge that is unknown", field -> field.giveUp(40_000)),
                attack("a credit, and the end again, of an edge that the consumer has ended", field -> {
                    StaticSender sender = field.accepted("edge", 1);
                    field.giveUp(7);
                    field.stage.await(() -> sender.ended().isDone(), "the producer's end ends");
                    field.credit(7, 1);
                    field.giveUp(7);
                    field.stage.settle();
                    assertThatThrownBy(() -> field.send(sender)).hasMessageContaining("no more");
                }),
                attack("the end of an edge that nobody has accepted, and another of its number", field -> {
                    for (int i = 0; i < 3; i++) {
                        field.offer(1, "edge", 0, 0);
                        field.giveUp(1);
                        field.offer(1, "another", 0, 0);
                        field.giveUp(1);
                        field.stage.settle();
                    }
                }),
                attack("an offer that was made before, to a producer that does not know it", field -> {
                    field.sender(Field.edge(VICTIM, ATTACKER, "edge"));
                    field.offer(1, "edge", Long.MAX_VALUE, 1);
                    field.stage.settle();
                }),
                attack("offers of all numbers there are, as far as memory goes", field -> {
                    for (int i = 0; i < 100; i++) {
                        int number = i * 655;
                        field.stage.await(() -> field.stage.attacker.mayWrite(Attacker.CONTROL), "a credit");
                        field.offer(number, "edge" + number, 0, 0);
                    }
                    field.stage.settle();
                }),
                attack("an edge that ends when it has only begun", field -> {
                    Message.EdgeOffer offer = field.offered("edge");
                    field.status(offer.edge(), 0, StatusCode.ABORTED);
                    field.stage.settle();
                    field.assertEnded();
                }));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void aViolationEndsItsChannelAlone(Attack attack) {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            field.assertViolation(() -> attack.action.accept(field), attack.name);
        }
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatAPeerMaySayTooMuchIsIgnored(Attack attack) {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            field.assertHarmless(() -> attack.action.accept(field));
        }
    }

    @Test
    void memoryThatAPeerMadeUpFailsItsOwnChannel() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            StaticSender sender = field.sender(Field.edge(VICTIM, ATTACKER, "edge"));
            field.send(sender);
            stage.attacker.send(new Message.EdgeOffer(
                    1,
                    Scenario.key(VICTIM, ATTACKER, "edge").toString(),
                    TensorMetaData.of(DataType.UINT8, Shape.of(BYTES)),
                    1,
                    true,
                    false,
                    OPENING,
                    0,
                    0,
                    0x1000,
                    0xBAD));
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void tensorsThatWereNeverWrittenHaveNotArrived() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            // One place: the first is written, two wait.
            StaticSender sender = field.accepted("edge", 3);
            stage.connect();
            stage.settle();
            assertThat(sender.ended()).isNotDone();
            field.offer(7, "edge", 3, 0);
            stage.await(() -> stage.counters().protocolViolations() == 1, "the channel fails");
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void anEdgeGoesOnOverTheNextChannelOfTheSamePeer() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            StaticSender sender = field.accepted("edge", 3);
            stage.connect();
            field.offer(7, "edge", 1, 0);
            stage.await(
                    () -> stage.attacker.contents().contains(Immediate.ofEdge(7)), "the tensor that waited is written");
            field.giveUp(7);
            stage.await(() -> sender.ended().isDone(), "the producer's end ends");
            assertThat(stage.counters().protocolViolations()).isZero();
            field.close();
            stage.end();
        }
    }

    /// The consumer's end before it is gone, and the tensors that went there are none of this one's.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOfferOfAnotherOpeningIsOfAnotherEdge(boolean closed) {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            StaticSender sender = field.accepted("edge", 1);
            if (closed) {
                sender.close();
            }
            stage.connect();
            field.opening++;
            field.offer(7, Scenario.key(VICTIM, ATTACKER, "edge").toString(), true, 0, 0);
            stage.await(() -> sender.ended().isDone(), "the producer's end ends");
            StaticSender next = field.sender(Field.edge(VICTIM, ATTACKER, "edge"));
            stage.await(() -> next.opened().isDone(), "the offer is accepted");
            assertThat(next.opened()).isCompleted();
            assertThat(stage.counters().protocolViolations()).isZero();
            field.close();
            stage.end();
        }
    }

    /// One that says what it still wants, and not this edge, has ended it.
    @Test
    void anEdgeThatIsNotOfferedAgainHasEnded() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            StaticSender sender = field.accepted("edge", 3);
            stage.connect();
            stage.settle();
            assertThat(sender.ended()).isNotDone();
            stage.attacker.send(new Message.Resumed());
            stage.await(() -> sender.ended().isDone(), "the producer's end ends");
            assertThatThrownBy(() -> field.send(sender)).hasMessageContaining("while there was no channel");
            assertThat(stage.counters().protocolViolations()).isZero();
            stage.end();
        }
    }

    /// The tensors were for the earlier process, and the consumer of the next one has opened nothing.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anEdgeThatAnEarlierProcessHasAcceptedFailsWhenTheNextOneConnects(int tensors) {
        try (var stage = new HostileStage(SEED)) {
            stage.connect();
            var field = new Field(stage);
            StaticSender sender = field.accepted("edge", tensors);
            stage.loseChannel();
            stage.settle();
            assertThat(sender.ended()).as("the same process may come back").isNotDone();
            stage.restartAttacker();
            stage.settle();
            assertThat(sender.ended())
                    .as("the end that the earlier process has accepted")
                    .isDone();
            assertThatThrownBy(() -> field.send(sender))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("the consumer was restarted");
            stage.attackerReceives();
            stage.assertHealthy();
            field.close();
            stage.end();
        }
    }
}
