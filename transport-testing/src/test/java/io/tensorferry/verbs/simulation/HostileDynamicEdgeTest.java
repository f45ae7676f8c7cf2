package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a member that breaks the rules of dynamic edges can do to a worker: end its own channel, and nothing else.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileDynamicEdgeTest {
    private static final long SEED = 20_261_122;
    private static final int BYTES = 100;
    private static final int SLOTS = 2;
    private static final int NUMBER = 7;
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

    /// The exchange over dynamic edges.
    static final class Field extends HostileField {
        Field(HostileStage stage) {
            super(stage);
        }

        static DynamicEdge edge(int producer, int consumer) {
            return new DynamicEdge(Scenario.key(producer, consumer, "edge"), SLOTS, BYTES);
        }

        DynamicSender sender() {
            return add(stage.victim.edges.openSender(edge(VICTIM, ATTACKER)));
        }

        DynamicReceiver receiver() {
            return add(stage.victim.edges.openReceiver(edge(ATTACKER, VICTIM)));
        }

        void offer(boolean resumed, long received) {
            stage.attacker.send(new Message.DynamicOffer(
                    NUMBER, edge(VICTIM, ATTACKER).key().toString(), SLOTS, BYTES, resumed, OPENING, received));
        }

        /// The victim's end of an edge to the attacker, with `tensors` tensors sent, as many announced as have slots.
        DynamicSender accepted(int tensors) {
            DynamicSender sender = sender();
            offer(false, 0);
            stage.await(() -> sender.opened().isDone(), "the offer is accepted");
            for (int i = 0; i < tensors; i++) {
                send(sender, 1);
            }
            stage.settle();
            return sender;
        }

        Tensor send(DynamicSender sender, int value) {
            Tensor tensor = sender.allocator().allocate(DataType.UINT8, Shape.of(BYTES));
            tensor.segment().fill((byte) value);
            try (Tensor sent = Watched.memoryOf(tensor)) {
                sender.send(sent);
            }
            return tensor;
        }

        /// The number of an edge that the attacker is to fill, accepted by him.
        int offered() {
            receiver();
            return accept();
        }

        int accept() {
            int number = take(Message.DynamicOffer.class).edge();
            status(number, 0, StatusCode.OK);
            return number;
        }

        void announce(int number, long sequence, long bytes) {
            announce(number, sequence, bytes, stage.attacker.contentAddress(), stage.attacker.readableKey());
        }

        void announce(int number, long sequence, long bytes, long address, int key) {
            stage.attacker.send(new Message.EdgeTensor(
                    number,
                    sequence,
                    TensorMetaData.of(DataType.UINT8, Shape.of(bytes)),
                    bytes == 0 ? 0 : address,
                    bytes == 0 ? 0 : key));
        }
    }

    static Stream<Attack> violations() {
        return Stream.of(
                attack("a tensor before its turn", field -> field.announce(field.offered(), 1, BYTES)),
                attack("a tensor far before its turn", field -> field.announce(field.offered(), Long.MAX_VALUE, BYTES)),
                attack("a tensor twice", field -> {
                    int edge = field.offered();
                    field.announce(edge, 0, BYTES);
                    field.announce(edge, 0, BYTES);
                }),
                attack("a tensor of an edge that was not offered", field -> field.announce(40_000, 0, BYTES)),
                attack(
                        "a tensor that is larger than the largest",
                        field -> field.announce(field.offered(), 0, BYTES + 1)),
                attack(
                        "a tensor that is larger than any memory",
                        field -> field.announce(field.offered(), 0, 1L << 60)),
                attack("one tensor more than there are slots", field -> {
                    int edge = field.offered();
                    for (int i = 0; i <= SLOTS; i++) {
                        field.announce(edge, i, BYTES);
                    }
                }),
                attack("one tensor more than are released, to a consumer that takes none", field -> {
                    int edge = field.offered();
                    for (int i = 0; i < 2 * SLOTS; i++) {
                        field.announce(edge, i, BYTES);
                        field.stage.settle();
                    }
                    assertThat(field.stage.counters().failed())
                            .isEqualTo(field.stage.counters().protocolViolations());
                    field.announce(edge, 2 * SLOTS, BYTES);
                }),
                attack("a tensor behind the last", field -> {
                    int edge = field.offered();
                    field.status(edge, 1, StatusCode.ABORTED);
                    field.announce(edge, 0, BYTES);
                }),
                attack("a tensor of a static edge", field -> {
                    field.add(field.stage.victim.edges.openReceiver(
                            SimulatedStaticEdge.of(ATTACKER, VICTIM, "static", BYTES)));
                    field.announce(field.take(Message.EdgeOffer.class).edge(), 0, BYTES);
                }),
                attack(
                        "a content that is written",
                        field -> field.stage.attacker.immediate(Attacker.LANE, Immediate.ofEdge(field.offered()))),
                attack("a content that is written before the edge is accepted", field -> {
                    field.receiver();
                    int edge = field.take(Message.DynamicOffer.class).edge();
                    field.stage.attacker.immediate(Attacker.LANE, Immediate.ofEdge(edge));
                }),
                attack("an edge that is accepted twice", field -> field.status(field.offered(), 0, StatusCode.OK)),
                attack("an edge that is accepted with another count", field -> {
                    field.receiver();
                    field.status(field.take(Message.DynamicOffer.class).edge(), 1, StatusCode.OK);
                }),
                attack("an end with fewer tensors than were announced", field -> {
                    int edge = field.offered();
                    field.announce(edge, 0, BYTES);
                    field.status(edge, 0, StatusCode.ABORTED);
                }),
                attack(
                        "an end with more tensors than have slots",
                        field -> field.status(field.offered(), SLOTS + 1, StatusCode.ABORTED)),
                attack("an edge that is ended twice", field -> {
                    int edge = field.offered();
                    field.status(edge, 1, StatusCode.ABORTED);
                    field.status(edge, 1, StatusCode.ABORTED);
                }),
                attack("a credit for more than was announced", field -> {
                    field.accepted(1);
                    field.credit(NUMBER, 2);
                }),
                attack("a credit for one that waits for a slot", field -> {
                    field.accepted(SLOTS + 1);
                    field.credit(NUMBER, SLOTS + 1);
                }),
                attack("a credit for a huge number", field -> {
                    field.accepted(1);
                    field.credit(NUMBER, Long.MAX_VALUE);
                }),
                attack("a credit that goes back", field -> {
                    field.accepted(2);
                    field.credit(NUMBER, 2);
                    field.credit(NUMBER, 1);
                }),
                attack("one offer twice", field -> {
                    field.accepted(1);
                    field.offer(false, 0);
                }),
                attack("tensors that have arrived before the first offer", field -> {
                    field.sender();
                    field.offer(false, 1);
                }));
    }

    /// What a peer sends that has not heard yet, or that says more than it must.
    static Stream<Attack> harmless() {
        return Stream.of(
                attack("a tensor, and the end, of an edge that the consumer has given up", field -> {
                    DynamicReceiver receiver = field.receiver();
                    int edge = field.accept();
                    receiver.close();
                    field.take(Message.EdgeStatus.class);
                    field.announce(edge, 0, BYTES);
                    field.status(edge, 1, StatusCode.ABORTED);
                    field.assertEnded();
                }),
                attack("a credit, and the end again, of an edge that the consumer has ended", field -> {
                    DynamicSender sender = field.accepted(SLOTS + 1);
                    field.giveUp(NUMBER);
                    field.assertEnded();
                    field.credit(NUMBER, 1);
                    field.giveUp(NUMBER);
                    field.stage.settle();
                    assertThatThrownBy(() -> field.send(sender, 1)).hasMessageContaining("no more");
                }),
                attack("a credit that says the same again", field -> {
                    field.accepted(2);
                    field.credit(NUMBER, 1);
                    field.credit(NUMBER, 1);
                    field.credit(NUMBER, 2);
                }),
                attack("tensors without bytes", field -> {
                    DynamicReceiver receiver = field.receiver();
                    int edge = field.accept();
                    for (int i = 0; i < 10; i++) {
                        field.announce(edge, i, 0);
                        field.stage.await(receiver::poll, "a tensor");
                        receiver.take().close();
                        field.stage.settle();
                    }
                }),
                attack("a dynamic offer to a static edge", field -> {
                    var edge = SimulatedStaticEdge.of(VICTIM, ATTACKER, "edge", BYTES);
                    var sender = field.add(field.stage.victim.edges.openSender(edge));
                    field.offer(false, 0);
                    field.stage.await(() -> sender.ended().isDone(), "they disagree");
                    assertThat(field.take(Message.EdgeStatus.class).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
                }),
                attack("an edge that ends when it has only begun", field -> {
                    field.status(field.offered(), 0, StatusCode.ABORTED);
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

    /// As it should be: so the attacks fail for what is wrong with them.
    @Test
    void aTensorIsReadWhereThePeerSays() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            DynamicReceiver receiver = field.receiver();
            int edge = field.accept();
            for (int i = 0; i < 5; i++) {
                stage.attacker.contentMemory().fill((byte) i);
                field.announce(edge, i, BYTES);
                stage.await(receiver::poll, "a tensor");
                try (Tensor tensor = receiver.take()) {
                    assertThat(tensor.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) i);
                }
                assertThat(field.take(Message.EdgeCredit.class).released()).isEqualTo(i + 1);
            }
            field.status(edge, 5, StatusCode.ABORTED);
            field.assertEnded();
            field.close();
            stage.end();
        }
    }

    enum MadeUp {
        KEY {
            @Override
            void announce(Field field, int edge) {
                field.announce(edge, 0, BYTES, field.stage.attacker.contentAddress(), 0xBAD);
            }
        },
        ADDRESS {
            @Override
            void announce(Field field, int edge) {
                field.announce(edge, 0, BYTES, 0x1000, field.stage.attacker.readableKey());
            }
        },
        /// The memory exists, but may not be READ.
        RIGHT {
            @Override
            void announce(Field field, int edge) {
                field.announce(
                        edge, 0, BYTES, field.stage.attacker.contentAddress(), field.stage.attacker.contentKey());
            }
        };

        abstract void announce(Field field, int edge);
    }

    @ParameterizedTest
    @EnumSource
    void memoryThatAPeerMadeUpFailsItsOwnChannel(MadeUp what) {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            DynamicReceiver receiver = field.receiver();
            what.announce(field, field.accept());
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            assertThat(stage.counters().protocolViolations()).isZero();
            field.close();
            field.assertEnded();
            assertThatThrownBy(receiver::take).isInstanceOf(IllegalStateException.class);
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void aTensorWhereNothingIsReadIsAViolation() {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.attacker.offer(
                    stage.victim.adapter.acceptor(), offer -> Attacker.with(offer, 0, offer.piecesAtOnce()));
            stage.await(stage.attacker::isConnected, "the attacker is connected");
            field.announce(field.offered(), 0, BYTES);
            stage.await(() -> stage.counters().protocolViolations() == 1, "the channel fails");
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }

    /// On the next channel, too, the victim reads at most the announced tensors, and releases those that it has read.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void anEdgeGoesOnWithWhatWasAnnouncedAtMost(int arrived) {
        try (var stage = new HostileStage(SEED)) {
            var field = new Field(stage);
            stage.connect();
            DynamicSender sender = field.accepted(SLOTS + 1);
            stage.connect();
            field.offer(true, arrived);
            if (arrived > SLOTS) {
                stage.await(() -> stage.counters().protocolViolations() == 1, "the channel fails");
            } else {
                assertThat(field.take(Message.EdgeStatus.class).count()).isEqualTo(arrived);
                for (int i = arrived; i < Math.min(arrived + SLOTS, SLOTS + 1); i++) {
                    assertThat(field.take(Message.EdgeTensor.class).sequence()).isEqualTo(i);
                }
                field.credit(NUMBER, arrived + 1);
                field.giveUp(NUMBER);
                stage.await(() -> sender.ended().isDone(), "the producer's end ends");
                assertThat(stage.counters().protocolViolations()).isZero();
            }
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }

    /// The key is good until the tensor is released, and for nothing but the tensor.
    @Test
    void theKeyOfATensorOpensNothingWhenItIsReleased() {
        try (var stage =
                new HostileStage(SEED, SimulatedCluster.Options.defaults().withRkeyScope(RemoteKeyScope.REQUEST))) {
            var field = new Field(stage);
            stage.connect();
            DynamicSender sender = field.accepted(0);
            Tensor sent = field.send(sender, 42);
            Message.EdgeTensor tensor = field.take(Message.EdgeTensor.class);
            stage.attacker.readOver(Attacker.LANE, BYTES, tensor.address(), tensor.remoteKey());
            stage.settle();
            assertThat(stage.attacker.contentMemory().asSlice(0, BYTES).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(42);
            assertThat(sent.isClosed()).isFalse();
            field.credit(NUMBER, 1);
            stage.await(sent::isClosed, "the tensor is the victim's again");
            stage.attacker.readOver(Attacker.LANE, BYTES, tensor.address(), tensor.remoteKey());
            stage.await(stage.attacker::hasFailed, "the attacker's channel fails");
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void theKeyOfATensorDoesNotOpenTheByteBehind() {
        try (var stage =
                new HostileStage(SEED, SimulatedCluster.Options.defaults().withRkeyScope(RemoteKeyScope.REQUEST))) {
            var field = new Field(stage);
            stage.connect();
            field.send(field.accepted(0), 42);
            Message.EdgeTensor tensor = field.take(Message.EdgeTensor.class);
            stage.attacker.readOver(Attacker.LANE, BYTES, tensor.address() + 1, tensor.remoteKey());
            stage.await(stage.attacker::hasFailed, "the attacker's channel fails");
            field.close();
            field.assertEnded();
            stage.assertHealthy();
            stage.end();
        }
    }
}
