package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.grpc.MemoryRegistration;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Partitioned tensors: rows that any worker reads, and nobody sends.
abstract class PartitionContract extends RendezvousContract {
    PartitionContract(Protocol protocol) {
        super(protocol);
    }

    private String name(int task) {
        return "/job:worker/replica:0/task:" + task;
    }

    private RowPartition overBoth(long rows) {
        return RowPartition.even(
                rows, List.of(producer().workerName(), consumer().workerName()));
    }

    private PartitionedTensorSpec bytes(long rows, long columns) {
        return PartitionedTensorSpec.of("features", DataType.UINT8, columns, overBoth(rows));
    }

    /// Both ends of one tensor, published, closed together.
    private final class Ends implements AutoCloseable {
        private final PartitionedTensorSpec spec;
        private final PartitionedTensor there;
        private final PartitionedTensor here;

        Ends(PartitionedTensorSpec spec) {
            this.spec = spec;
            this.there = open(producer());
            this.here = open(consumer());
        }

        private PartitionedTensor open(TransportServer server) {
            PartitionedTensor end = server.openPartitioned(spec);
            fill(end.localRows(), end.localRange());
            end.publish();
            return end;
        }

        private void fill(MemorySegment rows, RowRange range) {
            long rowBytes = spec.rowBytes();
            for (long row = range.first(); row < range.end(); row++) {
                long at = (row - range.first()) * rowBytes;
                for (long i = 0; i < rowBytes; i++) {
                    rows.set(ValueLayout.JAVA_BYTE, at + i, content(row, i));
                }
            }
        }

        long[] drawIds(int count, long seed) {
            return new Random(seed).longs(count, 0, spec.rows()).toArray();
        }

        Tensor result(TensorAllocator allocator, int count) {
            return allocator.allocate(spec.dataType(), Shape.of(count, spec.columns()));
        }

        void gatherAndCheck(long[] ids, GatherOptions options) {
            gatherAndCheck(ids, options, consumer().allocator());
        }

        void gatherAndCheck(long[] ids, GatherOptions options, TensorAllocator allocator) {
            try (Tensor out = result(allocator, ids.length)) {
                out.segment().fill((byte) 0xEE);
                var last = new AtomicLong();
                join(here.gather(ids, out, options, (arrived, _) -> last.set(arrived))
                        .done());
                assertThat(last).hasValue(ids.length);
                check(ids, out);
            }
        }

        void check(long[] ids, Tensor out) {
            long rowBytes = spec.rowBytes();
            for (int i = 0; i < ids.length; i++) {
                for (long column = 0; column < rowBytes; column++) {
                    byte found = out.segment().get(ValueLayout.JAVA_BYTE, i * rowBytes + column);
                    if (found != content(ids[i], column)) {
                        throw new AssertionError(
                                "byte " + column + " of row " + ids[i] + " at position " + i + " is " + found);
                    }
                }
            }
        }

        @Override
        public void close() {
            here.close();
            there.close();
            join(here.ended());
            join(there.ended());
        }
    }

    private static byte content(long row, long column) {
        return (byte) (row * 31 + column * 7 + (row >> 8) + (column >> 8));
    }

    private static void join(CompletableFuture<Void> future) {
        future.copy().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static TransportException failure(Gather gather) {
        try {
            join(gather.done());
        } catch (CompletionException e) {
            return (TransportException) e.getCause();
        }
        throw new AssertionError("the gather should have failed");
    }

    private PartitionStatistics statistics() {
        PartitionStatistics statistics = consumer().statistics().partitioned();
        assertThat(statistics).isNotNull();
        return statistics;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 63, 2_048, 65_537, (1 << 20) + 3})
    void rowsOfEverySizeComeToTheirPlaces(long columns) {
        int count = columns > 10_000 ? 20 : 2_000;
        try (var ends = new Ends(bytes(count, columns))) {
            for (TensorAllocator allocator : List.of(consumer().allocator(), TensorAllocator.unregistered())) {
                ends.gatherAndCheck(ends.drawIds(count, columns), GatherOptions.defaults(), allocator);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DataType.class,
            names = {"STRING"},
            mode = EnumSource.Mode.EXCLUDE)
    void rowsOfEveryTypeCome(DataType type) {
        try (var ends = new Ends(PartitionedTensorSpec.of("features", type, 33, overBoth(100)))) {
            ends.gatherAndCheck(ends.drawIds(50, 1), GatherOptions.defaults());
        }
    }

    @Test
    void howRowsAreReadChangesNothingInWhatComes() {
        try (var ends = new Ends(bytes(5_000, 100))) {
            long[] ids = ends.drawIds(5_000, 7);
            GatherOptions defaults = GatherOptions.defaults();
            for (GatherOptions options : List.of(
                    defaults,
                    defaults.withSorted(false),
                    defaults.withMerged(false),
                    defaults.withMostCopiedRowBytes(0),
                    defaults.withSignalInterval(1),
                    defaults.withQueuePairs(1),
                    new GatherOptions(1, 1, false, false, 0))) {
                ends.gatherAndCheck(ids, options);
            }
        }
    }

    @Test
    void neighboursAndRowsThatAreAskedForTwiceAreReadOnce() {
        try (var ends = new Ends(bytes(1_000, 64))) {
            long[] ids = {0, 2, 1, 700, 3, 701, 1, 0};
            long before = statistics().reads();
            // The first half is the producer's.
            ends.gatherAndCheck(ids, GatherOptions.defaults());
            assertThat(statistics().reads() - before).isEqualTo(1);
            assertThat(statistics().localRows()).isEqualTo(2);
            ends.gatherAndCheck(ids, GatherOptions.defaults().withMerged(false));
            assertThat(statistics().reads() - before).isEqualTo(1 + 6);
        }
    }

    @Test
    void hundredsOfThousandsOfRowsComeInOneGather() {
        try (var ends = new Ends(bytes(20_000, 64))) {
            ends.gatherAndCheck(ends.drawIds(300_000, 3), GatherOptions.defaults());
            assertThat(statistics().localRows() + statistics().remoteRows()).isEqualTo(300_000);
        }
    }

    @Test
    void manyGathersRunAtTheSameTime() {
        try (var ends = new Ends(bytes(2_000, 256))) {
            var results = new ArrayList<Tensor>();
            var gathers = new ArrayList<Gather>();
            for (int i = 0; i < 50; i++) {
                Tensor out = ends.result(consumer().allocator(), 500);
                results.add(out);
                gathers.add(ends.here.gather(ends.drawIds(500, i), out));
            }
            for (int i = 0; i < 50; i++) {
                join(gathers.get(i).done());
                ends.check(ends.drawIds(500, i), results.get(i));
                results.get(i).close();
            }
        }
    }

    @Test
    void bothWorkersReadEachOther() {
        try (var ends = new Ends(bytes(2_000, 256));
                Tensor out = ends.result(producer().allocator(), 2_000)) {
            long[] ids = ends.drawIds(2_000, 5);
            Gather gather = ends.there.gather(ids, out);
            ends.gatherAndCheck(ids, GatherOptions.defaults());
            join(gather.done());
            ends.check(ids, out);
        }
    }

    @Test
    void rowsLandInMemoryOfTheCallersChoice() {
        try (var ends = new Ends(bytes(1_000, 100));
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1_000 * 100L, 4096);
            try (MemoryRegistration _ = consumer().register(memory);
                    Tensor out = Tensor.wrap(DataType.UINT8, Shape.of(1_000, 100), memory, () -> {})) {
                long[] ids = ends.drawIds(1_000, 2);
                join(ends.here.gather(ids, out).done());
                ends.check(ids, out);
            }
        }
    }

    @Test
    void aWorkerWithoutRowsReadsThoseOfOthers() {
        var spec = PartitionedTensorSpec.of(
                "features",
                DataType.UINT8,
                100,
                RowPartition.even(1_000, List.of(producer().workerName())));
        try (var ends = new Ends(spec)) {
            assertThat(ends.here.localRange().isEmpty()).isTrue();
            ends.gatherAndCheck(ends.drawIds(1_000, 2), GatherOptions.defaults());
        }
    }

    @Test
    void aCopyOfSomeRowsIsReadInsteadOfTheirOwner() {
        var spec = bytes(1_000, 100).withReplicated(new RowRange(0, 10));
        try (var ends = new Ends(spec)) {
            long[] ids = {9, 0, 4};
            ends.gatherAndCheck(ids, GatherOptions.defaults());
            long reads = statistics().reads();
            assertThat(reads).isEqualTo(3);
            ends.fill(ends.here.replicatedRows(), new RowRange(0, 10));
            ends.here.useReplica();
            ends.gatherAndCheck(ids, GatherOptions.defaults());
            assertThat(statistics().reads()).isEqualTo(reads);
        }
    }

    @Test
    void gathersWaitForRowsToBePublished() {
        PartitionedTensorSpec spec = bytes(10, 4);
        PartitionedTensor here = consumer().openPartitioned(spec);
        try (Tensor out = consumer().allocator().allocate(DataType.UINT8, Shape.of(1, 4))) {
            Gather gather = here.gather(new long[] {3}, out);
            PartitionedTensor there = producer().openPartitioned(spec);
            // Something else goes both ways meanwhile.
            send("other", 5);
            eventually("it has come", () -> {
                try {
                    return Contents.number(receive("other")) == 5;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(gather.done()).isNotDone();
            assertThat(here.ready()).isNotDone();
            there.localRows().fill((byte) 7);
            there.publish();
            join(gather.done());
            join(here.ready());
            assertThat(out.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
            there.close();
            here.close();
            join(there.ended());
            join(here.ended());
        }
    }

    @Test
    void anIdThatIsNoRowIsNamedAndNothingIsRead() {
        try (var ends = new Ends(bytes(10, 4));
                Tensor out = ends.result(consumer().allocator(), 3)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ends.here.gather(new long[] {0, 10, 11}, out))
                    .withMessageContaining("id 10 at position 1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ends.here.gather(new long[] {0}, out))
                    .withMessageContaining("[1, 4]");
            assertThat(statistics().reads()).isZero();
        }
    }

    @Test
    void aGatherThatWaitsForAWorkerThatIsNotThereCanBeCancelled() {
        var spec = PartitionedTensorSpec.of(
                "features",
                DataType.UINT8,
                4,
                RowPartition.even(
                        30, List.of(producer().workerName(), consumer().workerName(), name(ABSENT))));
        try (var ends = new Ends(spec);
                Tensor out = ends.result(consumer().allocator(), 2)) {
            Gather waiting = ends.here.gather(new long[] {0, 29}, out);
            ends.gatherAndCheck(new long[] {19, 0, 9, 10}, GatherOptions.defaults());
            assertThat(waiting.done()).isNotDone();
            waiting.cancel();
            assertThat(failure(waiting).code()).isEqualTo(StatusCode.CANCELLED);
        }
    }

    @Test
    void anOwnerThatClosesFailsWhoReadsItsRows() {
        try (var ends = new Ends(bytes(1_000, 100));
                Tensor out = ends.result(consumer().allocator(), 1)) {
            join(ends.here.ready());
            ends.there.close();
            join(ends.there.ended());
            TransportException failure = failure(ends.here.gather(new long[] {0}, out));
            assertThat(failure.code()).isEqualTo(StatusCode.ABORTED);
            assertThat(failure.peer()).isEqualTo(producer().workerName());
            join(ends.here.gather(new long[] {999}, out).done());
            assertThatIllegalStateException()
                    .isThrownBy(() -> ends.there.gather(new long[] {0}, out))
                    .withMessageContaining("closed");
        }
    }

    @Test
    void aTensorCanBeOpenedAgainUnderItsName() {
        for (int i = 0; i < 5; i++) {
            try (var ends = new Ends(bytes(1_000, 100 + i))) {
                assertThatIllegalStateException().isThrownBy(() -> consumer().openPartitioned(ends.spec));
                ends.gatherAndCheck(ends.drawIds(1_000, i), GatherOptions.defaults());
            }
        }
    }

    @Test
    void aServerThatStopsEndsItsTensors() throws Exception {
        var ends = new Ends(bytes(1_000, 100));
        join(ends.here.ready());
        producer().stop(Duration.ofSeconds(1));
        assertThat(ends.there.ended()).isDone();
        try (Tensor out = ends.result(consumer().allocator(), 1)) {
            TransportException failure = failure(ends.here.gather(new long[] {0}, out));
            assertThat(failure.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
            assertThat(failure.peer()).isEqualTo(producer().workerName());
        }
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> producer().openPartitioned(ends.spec))
                .withMessageContaining("stopping");
        ends.here.close();
        join(ends.here.ended());
    }
}
