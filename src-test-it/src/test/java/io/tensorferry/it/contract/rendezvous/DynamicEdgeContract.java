package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Dynamic edges: tensors that the producer announces and the consumer reads.
abstract class DynamicEdgeContract extends RendezvousContract {
    DynamicEdgeContract(Protocol protocol) {
        super(protocol);
    }

    /// Both ends of one edge, closed together.
    private final class Ends implements AutoCloseable {
        private final DynamicReceiver receiver;
        private final DynamicSender sender;

        Ends(DynamicEdge edge) {
            this.receiver = consumer().openReceiver(edge);
            this.sender = producer().openSender(edge);
        }

        Ends(String name) {
            this(DynamicEdge.of(key(name)));
        }

        void send(DataType type, Shape shape, long seed) {
            try (Tensor tensor = Contents.tensor(sender.allocator(), type, shape, seed)) {
                sender.send(tensor);
            }
        }

        void send(long size, long seed) {
            send(DataType.UINT8, Shape.of(size), seed);
        }

        void take(DataType type, Shape shape, long seed) {
            eventually("a tensor has arrived", receiver::poll);
            try (Tensor received = receiver.take();
                    Tensor expected = Contents.tensor(TensorAllocator.unregistered(), type, shape, seed)) {
                assertThat(received.dataType()).isEqualTo(type);
                assertThat(received.shape()).isEqualTo(shape);
                assertThat(received.segment().mismatch(expected.segment()))
                        .as("first byte of tensor %d that differs", seed)
                        .isEqualTo(-1);
            }
        }

        void take(long size, long seed) {
            take(DataType.UINT8, Shape.of(size), seed);
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
            EdgeContract.join(sender.ended());
            EdgeContract.join(receiver.ended());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 64, 4_096, 65_537, 1 << 20, (16 << 20) + 3})
    void tensorsOfEverySizeArriveInOrder(long size) throws Exception {
        for (int slots : new int[] {1, 3}) {
            try (var ends = new Ends(DynamicEdge.of(key("slots" + slots)).withSlots(slots))) {
                for (int i = 0; i < 8; i++) {
                    ends.send(size, i);
                }
                for (int i = 0; i < 8; i++) {
                    ends.take(size, i);
                }
                assertThat(ends.receiver.poll()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DataType.class,
            names = {"STRING"},
            mode = EnumSource.Mode.EXCLUDE)
    void tensorsOfEveryTypeArrive(DataType type) throws Exception {
        try (var ends = new Ends("edge")) {
            ends.send(type, Shape.of(3, 33), 1);
            ends.take(type, Shape.of(3, 33), 1);
        }
    }

    @Test
    void eachTensorHasAShapeOfItsOwn() throws Exception {
        var random = new Random(20260103);
        var shapes = new ArrayList<Shape>();
        for (int i = 0; i < 200; i++) {
            long[] dimensions = new long[random.nextInt(5)];
            for (int d = 0; d < dimensions.length; d++) {
                dimensions[d] = random.nextInt(20);
            }
            shapes.add(Shape.of(dimensions));
        }
        try (var ends = new Ends("edge")) {
            for (int i = 0; i < shapes.size(); i++) {
                ends.send(DataType.FLOAT, shapes.get(i), i);
            }
            for (int i = 0; i < shapes.size(); i++) {
                ends.take(DataType.FLOAT, shapes.get(i), i);
            }
        }
    }

    @Test
    void manyEdgesCarryTensorsAtTheSameTime() throws Exception {
        var edges = new ArrayList<Ends>();
        for (int i = 0; i < 50; i++) {
            edges.add(new Ends("edge" + i));
        }
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < edges.size(); i++) {
                edges.get(i).send(100L * i + round, round);
            }
            for (int i = 0; i < edges.size(); i++) {
                edges.get(i).take(100L * i + round, round);
            }
        }
        for (Ends ends : edges) {
            ends.close();
        }
    }

    /// The producer keeps what is not read, and no more is read than there are slots and the consumer takes.
    @Test
    void whatNobodyTakesStopsTheProducer() throws Exception {
        try (var ends = new Ends(DynamicEdge.of(key("edge")).withSlots(2))) {
            for (int i = 0; i < 20; i++) {
                ends.send(10_000, i);
            }
            eventually("the first have arrived", ends.receiver::poll);
            // Something else goes both ways meanwhile: nothing of the edge is under way.
            send("other", 5);
            assertThat(Contents.number(receive("other"))).isEqualTo(5);
            assertThat(consumer().statistics().edges().tensorsReceived()).isLessThanOrEqualTo(4);
            for (int i = 0; i < 20; i++) {
                ends.take(10_000, i);
            }
        }
    }

    @Test
    void aSchedulerThatSleepsIsWoken() throws Exception {
        try (var ends = new Ends("edge")) {
            var woken = new Semaphore(0);
            ends.receiver.onReady(woken::release);
            ends.send(100, 1);
            assertThat(woken.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            ends.take(100, 1);
            ends.sender.close();
            assertThat(woken.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aTensorInOtherMemoryIsCopied() throws Exception {
        try (var ends = new Ends("edge")) {
            ends.sender.send(Contents.bytes(TensorAllocator.unregistered(), 5_000, 7));
            ends.take(5_000, 7);
            assertThat(producer().statistics().edges().unregisteredCopies()).isEqualTo(1);
        }
    }

    @Test
    void aHandleThatIsClosedOrWasSentIsRefusedAtOnce() throws Exception {
        try (var ends = new Ends("edge")) {
            EdgeContract.refusesWhatIsNotTheCallers(ends.sender, ends.sender.allocator());
            ends.take(5_000, 1);
            EdgeContract.refusesWhatIsNotTheCallers(ends.sender, TensorAllocator.unregistered());
            ends.take(5_000, 1);
        }
    }

    @Test
    void aTensorThatIsTooLargeIsRefused() throws Exception {
        try (var ends = new Ends(DynamicEdge.of(key("edge")).withLargestBytes(4_999))) {
            Tensor wrong = Contents.bytes(allocator(), 5_000, 1);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> ends.sender.send(wrong))
                    .withMessageContaining("5000")
                    .withMessageContaining("4999");
            assertThat(wrong.isClosed()).as("its owner's still").isFalse();
            wrong.close();
            ends.send(4_999, 2);
            ends.take(4_999, 2);
        }
    }

    @Test
    void whateverTheProducerSentBeforeItClosesArrives() throws Exception {
        try (var ends = new Ends(DynamicEdge.of(key("edge")).withSlots(2))) {
            for (int i = 0; i < 10; i++) {
                ends.send(100_000, i);
            }
            ends.sender.close();
            for (int i = 0; i < 10; i++) {
                ends.take(100_000, i);
            }
            assertThat(EdgeContract.takeFailure(ends.receiver).code()).isEqualTo(StatusCode.ABORTED);
            EdgeContract.join(ends.sender.ended());
        }
    }

    @Test
    void anAbortReachesTheOtherEnd() throws Exception {
        try (var ends = new Ends("edge")) {
            ends.send(100_000, 1);
            ends.take(100_000, 1);
            ends.sender.startAbort(new TransportException(StatusCode.OUT_OF_RANGE, "the data is at its end"));
            TransportException failure = EdgeContract.takeFailure(ends.receiver);
            assertThat(failure.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
            assertThat(failure).hasMessageContaining("the data is at its end");
            assertThat(failure.peer()).isEqualTo(producer().workerName());
        }
        try (var ends = new Ends("edge")) {
            EdgeContract.join(ends.sender.opened());
            ends.receiver.startAbort(new TransportException(StatusCode.INTERNAL, "the consumer failed"));
            EdgeContract.join(ends.sender.ended());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> ends.send(10, 1))
                    .withMessageContaining("the consumer failed");
        }
    }

    /// Wherever it is when the other end goes: everybody hears it, and all memory comes back.
    @Test
    void anEndThatClosesInTheMiddleLeavesNothingBehind() throws Exception {
        for (int i = 0; i < 20; i++) {
            var ends = new Ends(DynamicEdge.of(key("edge")).withSlots(4));
            for (int n = 0; n < 12; n++) {
                ends.send(200_000, n);
            }
            if (i % 4 > 0) {
                ends.take(200_000, 0);
            }
            var noMore = new TransportException(StatusCode.CANCELLED, "no more");
            if (i % 2 == 0) {
                ends.receiver.close();
                if (i % 4 == 0) {
                    // The ends may not have met yet: then the producer waits for another consumer.
                    ends.sender.startAbort(noMore);
                }
            } else {
                ends.sender.startAbort(noMore);
                eventually("the consumer hears it", () -> isAtItsEnd(ends.receiver));
            }
            ends.close();
        }
    }

    @Test
    void aProducerWaitsForAnotherConsumerThanOneThatWentBeforeItCame() throws Exception {
        DynamicReceiver early = consumer().openReceiver(DynamicEdge.of(key("edge")));
        early.close();
        EdgeContract.join(early.ended());
        try (var ends = new Ends("edge")) {
            ends.send(1_000, 1);
            ends.take(1_000, 1);
        }
    }

    private static boolean isAtItsEnd(DynamicReceiver receiver) {
        if (!receiver.poll()) {
            return false;
        }
        try {
            receiver.take().close();
            return false;
        } catch (TransportException e) {
            return true;
        }
    }

    @Test
    void endsThatDisagreeFail() throws Exception {
        DynamicReceiver receiver = consumer().openReceiver(DynamicEdge.of(key("edge")));
        DynamicSender sender = producer().openSender(DynamicEdge.of(key("edge")).withSlots(3));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> EdgeContract.join(sender.opened()))
                .withMessageContaining("disagree");
        assertThat(EdgeContract.takeFailure(receiver).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        receiver.close();
        EdgeContract.join(receiver.ended());

        DynamicReceiver other = consumer().openReceiver(DynamicEdge.of(key("other")));
        StaticSender fixed = producer().openSender(StaticEdge.of(key("other"), DataType.FLOAT, Shape.of(3)));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> EdgeContract.join(fixed.opened()))
                .withMessageContaining("a dynamic edge");
        assertThat(EdgeContract.takeFailure(other).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        other.close();
        EdgeContract.join(other.ended());
    }

    @Test
    void aServerThatStopsEndsItsEdges() throws Exception {
        var ends = new Ends("edge");
        ends.send(100_000, 1);
        ends.take(100_000, 1);
        producer().stop(Duration.ofSeconds(1));
        TransportException failure = EdgeContract.takeFailure(ends.receiver);
        assertThat(failure.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
        assertThat(ends.sender.ended()).isDone();
        try (Tensor late = Contents.bytes(TensorAllocator.unregistered(), 10, 2)) {
            assertThatExceptionOfType(TransportException.class).isThrownBy(() -> ends.sender.send(late));
        }
        ends.receiver.close();
        EdgeContract.join(ends.receiver.ended());
    }
}
