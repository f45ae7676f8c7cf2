package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.verbs.wire.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A peer that says of parts what is not true, or not its turn.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostilePartTest {
    private static final long SEED = 11;
    private static final int COLUMNS = 16;
    private static final TensorMetaData META_DATA = TensorMetaData.of(DataType.UINT8, Shape.of(10, COLUMNS));

    record Attack(String what, Consumer<Field> action) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static Attack attack(String what, Consumer<Field> action) {
        return new Attack(what, action);
    }

    /// A tensor of ten rows, the first half the victim's, the other the attacker's, who has asked for his and been
    /// asked for his own.
    private static final class Field implements AutoCloseable {
        final HostileStage stage = new HostileStage(SEED);
        private final ArrayDeque<Message> unread = new ArrayDeque<>();
        private PartitionedTensor end;

        void open() {
            stage.connect();
            List<String> workers = List.of(SimulatedCluster.name(VICTIM), SimulatedCluster.name(ATTACKER));
            end = stage.victim.partitions.open(
                    PartitionedTensorSpec.of("rows", DataType.UINT8, COLUMNS, RowPartition.even(10, workers)));
            end.publish();
        }

        void send(Message message) {
            stage.attacker.send(message);
        }

        void ask(int number) {
            send(new Message.PartOpen(number, "rows", META_DATA));
        }

        <M extends Message> M await(Class<M> type) {
            stage.await(
                    () -> {
                        for (Message next = stage.attacker.takeMessage();
                                next != null;
                                next = stage.attacker.takeMessage()) {
                            unread.add(next);
                        }
                        return unread.stream().anyMatch(type::isInstance);
                    },
                    "a " + type.getSimpleName());
            M found = unread.stream()
                    .filter(type::isInstance)
                    .map(type::cast)
                    .findFirst()
                    .orElseThrow();
            unread.remove(found);
            return found;
        }

        Message.PartOpen asked() {
            return await(Message.PartOpen.class);
        }

        void grant(int number) {
            send(new Message.PartGrant(
                    number, 5, 5 * COLUMNS, stage.attacker.contentAddress(), stage.attacker.contentKey()));
        }

        void status(int number, Message.Direction direction) {
            send(new Message.PartStatus(number, direction, StatusCode.ABORTED, "over"));
        }

        /// Row 9, which the attacker has.
        TransportException gatherFails() {
            try (Tensor out = Scenario.bytes(stage.victim, COLUMNS, 0)) {
                Tensor row = Tensor.wrap(DataType.UINT8, Shape.of(1, COLUMNS), out.segment(), () -> {});
                Gather gather = end.gather(new long[] {9}, row);
                row.close();
                stage.await(() -> gather.done().isDone(), "the gather ends");
                assertThat(gather.done()).isCompletedExceptionally();
                return (TransportException) gather.done().exceptionNow();
            }
        }

        @Override
        public void close() {
            stage.close();
        }
    }

    static Stream<Attack> violations() {
        return Stream.of(
                attack("one number for two parts", field -> {
                    field.ask(3);
                    field.ask(3);
                }),
                attack("a part given up that was not asked for", field -> field.status(3, Message.Direction.TO_SENDER)),
                attack("a part given up twice", field -> {
                    field.ask(3);
                    field.status(3, Message.Direction.TO_SENDER);
                    field.status(3, Message.Direction.TO_SENDER);
                }),
                attack("a grant that was not asked for", field -> field.grant(9_999)),
                attack(
                        "the end of a part that was not asked for",
                        field -> field.status(9_999, Message.Direction.TO_RECEIVER)),
                attack("a part that is granted twice", field -> {
                    int number = field.asked().part();
                    field.grant(number);
                    field.grant(number);
                }),
                attack("a part that is granted when it has ended", field -> {
                    int number = field.asked().part();
                    field.status(number, Message.Direction.TO_RECEIVER);
                    field.grant(number);
                }),
                attack("a part that is ended twice", field -> {
                    int number = field.asked().part();
                    field.grant(number);
                    field.status(number, Message.Direction.TO_RECEIVER);
                    field.status(number, Message.Direction.TO_RECEIVER);
                }));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void aViolationEndsItsChannelAlone(Attack attack) {
        try (var field = new Field()) {
            HostileStage stage = field.stage;
            field.open();
            attack.action.accept(field);
            stage.await(() -> stage.counters().failed() == 1, "the channel fails: " + attack);
            assertThat(stage.counters().malformedMessages()).isZero();
            assertThat(stage.counters().protocolViolations()).isEqualTo(1);
            stage.assertHealthy();
            field.end.close();
            stage.await(() -> field.end.ended().isDone(), "the memory of the rows is given back");
            stage.connect();
            stage.attackerReceives();
            stage.end();
        }
    }

    @Test
    void aPartThatIsNotWhereItShouldBeIsNotRead() {
        long[][] wrong = {{4, 5 * COLUMNS}, {5, 5 * COLUMNS - 1}, {5, Long.MAX_VALUE}, {0, 1}};
        for (long[] part : wrong) {
            try (var field = new Field()) {
                field.open();
                int number = field.asked().part();
                field.send(new Message.PartGrant(number, part[0], part[1], 1, field.stage.attacker.contentKey()));
                TransportException failure = field.gatherFails();
                assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
                assertThat(failure).hasMessageContaining("the workers disagree");
                // The victim reads nothing of it.
                assertThat(field.await(Message.PartStatus.class).part()).isEqualTo(number);
                assertThat(field.stage.counters().failed()).isZero();
                field.end.close();
                field.stage.end();
            }
        }
    }

    @Test
    void memoryThatAPeerMadeUpFailsItsOwnChannelAndTheGather() {
        try (var field = new Field()) {
            HostileStage stage = field.stage;
            field.open();
            int number = field.asked().part();
            field.send(new Message.PartGrant(number, 5, 5 * COLUMNS, 0x1000, 0xBAD));
            TransportException failure = field.gatherFails();
            assertThat(failure.peer()).isEqualTo(SimulatedCluster.name(ATTACKER));
            assertThat(stage.counters().failed()).isPositive();
            stage.assertHealthy();
            field.end.close();
            stage.await(() -> field.end.ended().isDone(), "the memory of the rows is given back");
            stage.end();
        }
    }

    @Test
    void onlyWhoKnowsTheTensorGetsItsMemory() {
        try (var field = new Field()) {
            HostileStage stage = field.stage;
            field.open();
            field.send(new Message.PartOpen(0, "rows", TensorMetaData.of(DataType.UINT8, Shape.of(10, COLUMNS + 1))));
            Message.PartStatus refused = field.await(Message.PartStatus.class);
            assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
            field.status(0, Message.Direction.TO_SENDER);
            // A tensor that no worker has opened grants nothing.
            field.send(new Message.PartOpen(1, "others", META_DATA));
            field.ask(2);
            Message.PartGrant grant = field.await(Message.PartGrant.class);
            assertThat(grant.part()).isEqualTo(2);
            assertThat(grant.firstRow()).isZero();
            assertThat(grant.bytes()).isEqualTo(5 * COLUMNS);
            // The key opens reading alone.
            stage.attacker.writeOver(Attacker.LANE, 1, grant.address(), grant.remoteKey());
            stage.await(() -> stage.attacker.hasFailed(), "the write is refused");
            field.end.close();
            stage.await(() -> field.end.ended().isDone(), "the memory of the rows is given back");
            stage.end();
        }
    }

    @Test
    void theMemoryOfAPartIsKeptUntilItsReaderIsDone() {
        try (var field = new Field()) {
            HostileStage stage = field.stage;
            field.open();
            field.ask(2);
            field.await(Message.PartGrant.class);
            field.end.close();
            assertThat(field.await(Message.PartStatus.class)).isNotNull();
            stage.settle();
            assertThat(field.end.ended()).isNotDone();
            field.status(2, Message.Direction.TO_SENDER);
            stage.await(() -> field.end.ended().isDone(), "the memory of the rows is given back");
            assertThat(stage.counters().failed()).isZero();
            stage.end();
        }
    }
}
