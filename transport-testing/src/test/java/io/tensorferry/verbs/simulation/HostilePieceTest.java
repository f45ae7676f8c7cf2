package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import io.tensorferry.verbs.wire.Message;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A peer that asks for pieces, or serves them, and does not keep to the rules: it costs its own channel and nothing
/// else.
@Timeout(120)
class HostilePieceTest {
    private static final int BYTES = 1000;
    private static final int VALUE = 7;
    private static final int PIECE = 4096;
    private static final TensorMetaData ASKED = TensorMetaData.of(DataType.UINT8, Shape.of(BYTES));
    private static final TensorMetaData SERVED = TensorMetaData.of(DataType.UINT8, Shape.of(3 * PIECE));

    record Attack(String what, Consumer<Field> action) {
        @Override
        public String toString() {
            return what;
        }
    }

    /// The attacker and a victim that serves 16 pieces, and has an accelerator.
    private static final class Field implements AutoCloseable {
        final HostileStage stage;
        final Attacker attacker;
        final SimulatedAccelerator gpu;
        private final ArrayDeque<Message> unread = new ArrayDeque<>();
        int index;

        Field(int pieces) {
            var few = AcceleratorOptions.defaults().withPieces(PIECE, 2).withProxyBytes(8 * PIECE);
            stage = new HostileStage(
                    0xA77AC4,
                    SimulatedCluster.Options.defaults()
                            .withRingContent(0)
                            .withGpu(new SimulatedCluster.Gpu(few, SimulatedAcceleratorOptions.defaults())));
            attacker = stage.attacker;
            gpu = Objects.requireNonNull(stage.victim.gpu);
            attacker.offer(stage.victim.adapter.acceptor(), offer -> Attacker.with(offer, offer.readsAtOnce(), pieces));
            stage.await(attacker::isConnected, "the attacker is connected");
        }

        /// The next message of this kind.
        <T extends Message> T await(Class<T> kind) {
            var found = new ArrayList<T>();
            stage.await(
                    () -> {
                        for (Message next = attacker.takeMessage(); next != null; next = attacker.takeMessage()) {
                            unread.add(next);
                        }
                        while (found.isEmpty() && !unread.isEmpty()) {
                            Message next = unread.remove();
                            if (kind.isInstance(next)) {
                                found.add(kind.cast(next));
                            }
                        }
                        return !found.isEmpty();
                    },
                    "a " + kind.getSimpleName());
            return found.getFirst();
        }

        /// Asks for a tensor that is there, and is told its metadata.
        void ask() {
            index = stage.freshIndex();
            stage.scenario.send(VICTIM, ATTACKER, STEP, "asked" + index, BYTES, VALUE);
            attacker.send(stage.request(index, "asked" + index));
            await(Message.MetaDataResponse.class);
        }

        void askInPieces() {
            ask();
            attacker.send(inPieces());
        }

        Message.TensorReRequest inPieces() {
            return new Message.TensorReRequest(STEP, index, ASKED, 0, 0, true);
        }

        Message.TensorPiece piece(int number, int bytes) {
            return new Message.TensorPiece(
                    STEP, index, number, bytes, attacker.contentAddress() + number, attacker.contentKey());
        }

        Message.ErrorStatus giveUp() {
            return new Message.ErrorStatus(STEP, index, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "given up");
        }

        /// The victim asks for a tensor of the attacker, and is told that it is there.
        Scenario.Receive receive(Duration timeout) {
            var receive = stage.scenario.receive(
                    VICTIM,
                    AcceleratorResults.key(ATTACKER, VICTIM, "served", "GPU:0"),
                    STEP,
                    ReceiveOptions.defaults().withTimeout(timeout));
            index = await(Message.TensorRequest.class).requestIndex();
            attacker.send(new Message.MetaDataResponse(STEP, index, SERVED, OptionalLong.empty()));
            Message.TensorReRequest again = await(Message.TensorReRequest.class);
            assertThat(again.inPieces()).isTrue();
            return receive;
        }

        AcceleratorStatistics statistics() {
            return stage.victim.accelerators.statistics().getFirst();
        }

        void end() {
            stage.assertHealthy();
            stage.end();
            assertThat(gpu.leftOver()).isEmpty();
            assertThat(gpu.mistakes()).isEmpty();
        }

        @Override
        public void close() {
            stage.close();
        }
    }

    private static Attack attack(String what, Consumer<Field> action) {
        return new Attack(what, action);
    }

    static Stream<Attack> violations() {
        return Stream.of(
                attack("a piece of a request that is not answered", field -> {
                    field.index = field.stage.freshIndex();
                    field.attacker.send(field.stage.request(field.index, "absent"));
                    field.attacker.send(field.piece(0, 1));
                }),
                attack("a piece of a request that is not asked for again", field -> {
                    field.ask();
                    field.attacker.send(field.piece(0, 1));
                }),
                attack("the content asked for twice", field -> {
                    field.askInPieces();
                    field.attacker.send(field.inPieces());
                }),
                attack("a piece beyond the end", field -> {
                    field.askInPieces();
                    field.attacker.send(field.piece(0, BYTES - 1));
                    field.attacker.send(field.piece(1, 2));
                }),
                attack("a piece larger than the content", field -> {
                    field.askInPieces();
                    field.attacker.send(field.piece(0, BYTES + 1));
                }),
                attack("more pieces than may be named", field -> {
                    // None has come for which there is no receive.
                    field.attacker.acknowledges = false;
                    field.askInPieces();
                    var pieces = new ArrayList<Message>();
                    for (int i = 0; i < 90; i++) {
                        pieces.add(field.piece(i, 1));
                    }
                    field.attacker.sendBytes(Attacker.slotOf(pieces.toArray(Message[]::new)));
                }),
                attack("a content in a message for a request in pieces", field -> {
                    var _ = field.receive(Duration.ofSeconds(20));
                    field.attacker.send(Messages.content(field.index, 3 * PIECE / 4));
                }),
                attack("a content in a message for a request in pieces that was given up", field -> {
                    var receive = field.receive(Duration.ofSeconds(20));
                    receive.cancel();
                    field.stage.settle();
                    field.attacker.send(Messages.content(field.index, 10));
                }),
                attack("metadata again", field -> {
                    var _ = field.receive(Duration.ofSeconds(20));
                    field.attacker.send(new Message.MetaDataResponse(STEP, field.index, SERVED, OptionalLong.empty()));
                }),
                attack("more immediates than there are pieces", field -> {
                    // So that none is named again.
                    field.gpu.hold();
                    var _ = field.receive(Duration.ofSeconds(20));
                    field.stage.settle();
                    for (int i = 0; i < 3; i++) {
                        field.attacker.immediate(Attacker.LANE, field.index);
                    }
                    field.stage.settle();
                    field.gpu.release();
                }),
                attack("the same of a request that was given up", field -> {
                    var receive = field.receive(Duration.ofSeconds(20));
                    field.stage.settle();
                    receive.cancel();
                    field.stage.settle();
                    for (int i = 0; i < 3; i++) {
                        field.attacker.immediate(Attacker.LANE, field.index);
                    }
                }));
    }

    /// The bytes of messages.
    private static final class Messages {
        private Messages() {}

        static Message content(int index, int bytes) {
            return new Message.TensorContent(STEP, index, ByteBuffer.allocate(bytes));
        }
    }

    @ParameterizedTest
    @MethodSource("violations")
    void itEndsItsChannel(Attack attack) {
        try (var field = new Field(2)) {
            attack.action.accept(field);
            field.stage.await(() -> field.stage.counters().failed() == 1, attack.what + " ends the channel");
            assertThat(field.stage.counters().protocolViolations()).isEqualTo(1);
            field.stage.scenario.worker(VICTIM).manager.closeStep(STEP);
            field.end();
        }
    }

    @Test
    void aPeerThatKeepsTheRulesIsServed() {
        try (var field = new Field(0)) {
            field.askInPieces();
            field.attacker.contentMemory().asSlice(0, BYTES).fill((byte) 0);
            field.attacker.send(field.piece(0, 1));
            field.attacker.send(field.piece(1, BYTES - 1));
            field.stage.await(() -> field.attacker.contents().size() == 2, "two pieces");
            assertThat(field.attacker.contents()).containsOnly(field.index);
            assertThat(field.attacker.contentMemory().asSlice(0, BYTES).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(VALUE);
            field.end();
        }
    }

    /// It had no key for the second one.
    @Test
    void behindAGapNothingIsWrittenAndTheGiveUpIsConfirmed() {
        try (var field = new Field(0)) {
            field.askInPieces();
            field.attacker.send(field.piece(0, 10));
            field.attacker.send(field.piece(2, 10));
            field.attacker.send(field.piece(1, 10));
            field.attacker.send(field.piece(3, Integer.MAX_VALUE));
            field.stage.settle();
            field.attacker.send(field.giveUp());
            Message.ErrorStatus confirmation = field.await(Message.ErrorStatus.class);
            assertThat(confirmation.code()).isEqualTo(StatusCode.CANCELLED);
            assertThat(field.attacker.contents()).isEqualTo(List.of(field.index));
            // It crossed the end.
            long stale = field.stage.statistics().staleIndexes();
            field.attacker.send(field.piece(1, 10));
            field.stage.settle();
            assertThat(field.stage.statistics().staleIndexes()).isEqualTo(stale + 1);
            field.stage.attackerReceives();
            field.end();
        }
    }

    @Test
    void whenAllIsNamedTheContentConfirmsTheGiveUp() {
        try (var field = new Field(0)) {
            field.askInPieces();
            field.attacker.sendBytes(Attacker.slotOf(field.piece(0, BYTES), field.giveUp()));
            field.stage.await(() -> field.attacker.contents().contains(field.index), "the content");
            field.stage.settle();
            field.stage.attackerReceives();
            field.end();
        }
    }

    /// What is named to it is lost to others for as long as its channel lives, and no longer.
    @Test
    void whoServesNothingHoldsNoMoreThanWasNamed() {
        try (var field = new Field(255)) {
            var receive = field.receive(Duration.ofMillis(50));
            field.stage.await(receive::hasEnded, "the deadline");
            assertThat(receive.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            field.stage.settle();
            assertThat(field.statistics().receiveProxyBytes()).isEqualTo(2 * PIECE);
            field.stage.assertHealthy();
            field.attacker.immediate(Attacker.CONTROL, field.index);
            field.stage.await(() -> field.statistics().receiveProxyBytes() == 0, "the proxies are back");
            field.end();
        }
    }

    @Test
    void aFailureInTheMiddleEndsTheReceiveAndNothingElse() {
        try (var field = new Field(255)) {
            var receive = field.receive(Duration.ofSeconds(20));
            Message.TensorPiece named = field.await(Message.TensorPiece.class);
            field.attacker.content(field.index, named.bytes(), named.address(), named.remoteKey());
            field.stage.settle();
            field.attacker.send(new Message.ErrorStatus(
                    STEP, field.index, Message.Direction.TO_RECEIVER, StatusCode.INTERNAL, "broken"));
            field.stage.await(receive::hasEnded, "the receive ends");
            assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
            // It crossed the end.
            field.attacker.immediate(Attacker.LANE, field.index);
            field.stage.settle();
            assertThat(field.statistics().receiveProxyBytes()).isZero();
            field.stage.attackerReceives();
            field.end();
        }
    }

    @Test
    void aPeerThatServesByTheRulesIsReceivedFrom() {
        try (var field = new Field(1)) {
            var receive = field.receive(Duration.ofSeconds(20));
            for (int i = 0; i < 3; i++) {
                Message.TensorPiece named = field.await(Message.TensorPiece.class);
                assertThat(named.piece()).isEqualTo(i);
                field.attacker.contentMemory().asSlice(0, PIECE).fill((byte) i);
                field.attacker.content(field.index, named.bytes(), named.address(), named.remoteKey());
            }
            field.stage.await(receive::hasEnded, "the tensor");
            for (int i = 0; i < 3; i++) {
                assertThat(field.gpu.peek(receive.tensor().address() + (long) i * PIECE, PIECE))
                        .containsOnly(i);
            }
            receive.close();
            field.end();
        }
    }
}
