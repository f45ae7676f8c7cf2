package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.grpc.MemoryRegistration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Static edges: tensors written straight into memory that the consumer has given once.
abstract class EdgeContract extends RendezvousContract {
    EdgeContract(Protocol protocol) {
        super(protocol);
    }

    private StaticEdge edge(String name, DataType type, Shape shape) {
        return StaticEdge.of(key(name), type, shape);
    }

    private StaticEdge bytes(String name, long size) {
        return edge(name, DataType.UINT8, Shape.of(size));
    }

    /// Both ends of one edge, closed together.
    private final class Ends implements AutoCloseable {
        private final StaticEdge edge;
        private final StaticReceiver receiver;
        private final StaticSender sender;

        Ends(StaticEdge edge) {
            this.edge = edge;
            this.receiver = consumer().openReceiver(edge);
            this.sender = producer().openSender(edge);
        }

        void send(long seed) {
            try (Tensor tensor = Contents.tensor(allocator(), edge.dataType(), edge.shape(), seed)) {
                sender.send(tensor);
            }
        }

        void takeAndRelease(long seed) {
            eventually("a tensor has arrived", receiver::poll);
            check(receiver.take(), seed);
            receiver.release();
        }

        private void check(Tensor received, long seed) {
            try (Tensor expected =
                    Contents.tensor(TensorAllocator.unregistered(), edge.dataType(), edge.shape(), seed)) {
                assertThat(received.dataType()).isEqualTo(edge.dataType());
                assertThat(received.shape()).isEqualTo(edge.shape());
                assertThat(received.segment().mismatch(expected.segment()))
                        .as("first byte of tensor %d that differs", seed)
                        .isEqualTo(-1);
            }
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
            join(sender.ended());
            join(receiver.ended());
        }
    }

    static void join(CompletableFuture<Void> future) {
        future.copy().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    static TransportException takeFailure(EdgeReceiver receiver) {
        eventually("the edge has ended", receiver::poll);
        try {
            receiver.take();
            throw new AssertionError("the edge should have failed");
        } catch (TransportException e) {
            return e;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 63, 64, 4_096, 65_537, 1 << 20, (16 << 20) + 3})
    void tensorsOfEverySizeArriveInOrder(long size) throws Exception {
        for (StaticEdge edge :
                List.of(bytes("one place", size), bytes("two places", size).doubleBuffered())) {
            try (var ends = new Ends(edge)) {
                for (int i = 0; i < 5; i++) {
                    ends.send(i);
                }
                for (int i = 0; i < 5; i++) {
                    ends.takeAndRelease(i);
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
        try (var ends = new Ends(edge("edge", type, Shape.of(3, 33)))) {
            ends.send(1);
            ends.takeAndRelease(1);
        }
    }

    @Test
    void whereTheApplicationsOrderSaysWhenAPlaceIsFreeNothingIsSentForIt() throws Exception {
        StaticEdge edge = bytes("edge", 10_000).doubleBuffered().withReuse(StaticEdge.Reuse.DEPENDENCY);
        try (var ends = new Ends(edge)) {
            ends.send(0);
            for (int i = 0; i < 50; i++) {
                ends.send(i + 1);
                ends.takeAndRelease(i);
            }
            ends.takeAndRelease(50);
        }
    }

    @Test
    void aTensorIsThereUntilItIsReleased() throws Exception {
        try (var ends = new Ends(bytes("edge", 10_000))) {
            ends.send(1);
            ends.send(2);
            eventually("a tensor has arrived", ends.receiver::poll);
            Tensor first = ends.receiver.take();
            assertThat(ends.receiver.poll()).isFalse();
            // Something else goes both ways meanwhile: the second is not under way.
            send("other", 5);
            assertThat(Contents.number(receive("other"))).isEqualTo(5);
            ends.check(first, 1);
            assertThat(ends.receiver.poll()).isFalse();
            ends.receiver.release();
            ends.takeAndRelease(2);
        }
    }

    @Test
    void manyEdgesCarryTensorsAtTheSameTime() throws Exception {
        var edges = new ArrayList<Ends>();
        for (int i = 0; i < 100; i++) {
            edges.add(new Ends(bytes("edge" + i, 100L * i)));
        }
        for (int round = 0; round < 10; round++) {
            for (Ends ends : edges) {
                ends.send(round);
            }
            for (Ends ends : edges) {
                ends.takeAndRelease(round);
            }
        }
        for (Ends ends : edges) {
            ends.close();
        }
    }

    @Test
    void aSchedulerThatSleepsIsWoken() throws Exception {
        try (var ends = new Ends(bytes("edge", 100).doubleBuffered())) {
            var woken = new Semaphore(0);
            ends.receiver.onReady(woken::release);
            ends.send(1);
            assertThat(woken.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            ends.takeAndRelease(1);
            ends.sender.close();
            assertThat(woken.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void tensorsLandInMemoryOfTheConsumersChoice() throws Exception {
        StaticEdge edge = bytes("edge", 1_000).doubleBuffered();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4 * edge.memoryBytes(), 4096);
            MemorySegment place = memory.asSlice(edge.memoryBytes(), edge.memoryBytes());
            try (MemoryRegistration _ = consumer().register(memory)) {
                StaticReceiver receiver = consumer().openReceiver(edge, place);
                StaticSender sender = producer().openSender(edge);
                for (int i = 0; i < 4; i++) {
                    sender.send(Contents.bytes(allocator(), 1_000, i));
                    eventually("a tensor has arrived", receiver::poll);
                    Tensor tensor = receiver.take();
                    assertThat(tensor.segment().address()).isEqualTo(place.address() + i % 2 * edge.placeBytes());
                    receiver.release();
                }
                sender.close();
                receiver.close();
                join(receiver.ended());
            }
        }
    }

    @Test
    void aTensorInUnregisteredMemoryIsCopied() throws Exception {
        try (var ends = new Ends(bytes("edge", 5_000))) {
            ends.sender.send(Contents.bytes(TensorAllocator.unregistered(), 5_000, 7));
            ends.takeAndRelease(7);
        }
    }

    @Test
    void aHandleThatIsClosedOrWasSentIsRefusedAtOnce() throws Exception {
        for (TensorAllocator memory : List.of(allocator(), TensorAllocator.unregistered())) {
            try (var ends = new Ends(bytes("edge", 5_000))) {
                refusesWhatIsNotTheCallers(ends.sender, memory);
                ends.takeAndRelease(1);
                ends.send(2);
                ends.takeAndRelease(2);
            }
        }
    }

    /// Sends one tensor of 5,000 bytes, of seed 1.
    static void refusesWhatIsNotTheCallers(EdgeSender sender, TensorAllocator memory) {
        Tensor closed = Contents.bytes(memory, 5_000, 0);
        closed.close();
        Tensor sent = Contents.bytes(memory, 5_000, 1);
        sender.send(sent);
        assertThat(sent.isClosed()).isTrue();
        for (Tensor refused : List.of(closed, sent)) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> sender.send(refused))
                    .withMessageContaining("edge")
                    .withMessageContaining("closed or was already sent");
        }
        sent.close();
    }

    @Test
    void aTensorOfAnotherShapeIsRefused() throws Exception {
        try (var ends = new Ends(bytes("edge", 5_000))) {
            Tensor wrong = Contents.bytes(allocator(), 4_999, 1);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> ends.sender.send(wrong))
                    .withMessageContaining("4999")
                    .withMessageContaining("5000");
            assertThat(wrong.isClosed()).as("its owner's still").isFalse();
            wrong.close();
            ends.send(2);
            ends.takeAndRelease(2);
        }
    }

    @Test
    void tensorsWaitForAPlaceUpToALimit() throws Exception {
        try (var ends = new Ends(bytes("edge", 10))) {
            for (int i = 0; i < 1024; i++) {
                ends.send(i);
            }
            eventually("the first has arrived", ends.receiver::poll);
            // Its place was left by one that was written.
            eventually("there is room", () -> {
                try {
                    ends.send(1024);
                    return true;
                } catch (TransportException e) {
                    assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                    return false;
                }
            });
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> ends.send(1025))
                    .withMessageContaining("1024 tensors are queued");
            for (int i = 0; i <= 1024; i++) {
                ends.takeAndRelease(i);
            }
        }
    }

    @Test
    void whateverTheProducerSentBeforeItClosesArrives() throws Exception {
        try (var ends = new Ends(bytes("edge", 100_000))) {
            for (int i = 0; i < 5; i++) {
                ends.send(i);
            }
            ends.sender.close();
            for (int i = 0; i < 5; i++) {
                ends.takeAndRelease(i);
            }
            assertThat(takeFailure(ends.receiver).code()).isEqualTo(StatusCode.ABORTED);
        }
    }

    @Test
    void anAbortReachesTheOtherEnd() throws Exception {
        try (var ends = new Ends(bytes("edge", 100_000))) {
            ends.send(1);
            ends.takeAndRelease(1);
            ends.sender.startAbort(new TransportException(StatusCode.OUT_OF_RANGE, "the data is at its end"));
            TransportException failure = takeFailure(ends.receiver);
            assertThat(failure.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
            assertThat(failure).hasMessageStartingWith("OUT_OF_RANGE: the data is at its end");
            assertThat(failure.peer()).isEqualTo(producer().workerName());
        }
        try (var ends = new Ends(bytes("edge", 100_000))) {
            join(ends.sender.opened());
            ends.receiver.startAbort(new TransportException(StatusCode.INTERNAL, "the consumer failed"));
            join(ends.sender.ended());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> ends.send(1))
                    .withMessageContaining("the consumer failed");
        }
    }

    @Test
    void endsThatDisagreeFail() throws Exception {
        StaticReceiver receiver = consumer().openReceiver(bytes("edge", 100));
        StaticSender sender = producer().openSender(bytes("edge", 101));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> join(sender.opened()))
                .withMessageContaining("disagree");
        assertThat(takeFailure(receiver).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        receiver.close();
        join(receiver.ended());
        send("other", 5);
        assertThat(Contents.number(receive("other"))).isEqualTo(5);
    }

    @Test
    void aServerThatStopsEndsItsEdges() throws Exception {
        var ends = new Ends(bytes("edge", 100_000).doubleBuffered());
        ends.send(1);
        ends.takeAndRelease(1);
        producer().stop(Duration.ofSeconds(1));
        TransportException failure = takeFailure(ends.receiver);
        assertThat(failure.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
        assertThat(ends.sender.ended()).isDone();
        try (Tensor late = Contents.bytes(TensorAllocator.unregistered(), 100_000, 2)) {
            assertThatExceptionOfType(TransportException.class).isThrownBy(() -> ends.sender.send(late));
        }
        ends.receiver.close();
        join(ends.receiver.ended());
    }
}
