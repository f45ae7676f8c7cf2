package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/// A partitioned tensor on simulated workers, whose rows tell which they are.
final class SimulatedRows implements AutoCloseable {
    static final String NAME = "features";
    final Scenario scenario;
    final PartitionedTensorSpec spec;
    final List<PartitionedTensor> ends = new ArrayList<>();

    /// Opens and publishes it on the first workers of the scenario, as many as the partition has.
    SimulatedRows(Scenario scenario, RowPartition partition, long columns) {
        this.scenario = scenario;
        this.spec = PartitionedTensorSpec.of(NAME, DataType.UINT8, columns, partition);
        for (int i = 0; i < partition.workers().size(); i++) {
            ends.add(open(i));
            publish(i);
        }
    }

    /// Evenly over the first `count` workers.
    static RowPartition even(long rows, int count) {
        var names = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            names.add(SimulatedCluster.name(i));
        }
        return RowPartition.even(rows, names);
    }

    PartitionedTensor open(int worker) {
        return scenario.worker(worker).partitions.open(spec);
    }

    /// Opens and publishes what a worker that was restarted has.
    void reopen(int worker) {
        ends.set(worker, open(worker));
        publish(worker);
    }

    private void publish(int worker) {
        PartitionedTensor end = ends.get(worker);
        fill(end.localRows(), end.localRange().first(), end.localRange().count(), spec.rowBytes());
        end.publish();
    }

    static void fill(MemorySegment rows, long first, long count, long rowBytes) {
        for (long row = 0; row < count; row++) {
            for (long i = 0; i < rowBytes; i++) {
                rows.set(ValueLayout.JAVA_BYTE, row * rowBytes + i, content(first + row, i));
            }
        }
    }

    static byte content(long row, long column) {
        return (byte) (row * 31 + column * 7 + (row >> 8) + (column >> 8));
    }

    long[] drawIds(Random random, int count) {
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            // Some next to others, some the same again.
            ids[i] = i > 0 && random.nextInt(3) == 0
                    ? Math.clamp(ids[i - 1] + random.nextInt(3) - 1, 0, spec.rows() - 1)
                    : random.nextLong(spec.rows());
        }
        return ids;
    }

    /// A gather by a worker, and its result.
    final class Batch implements AutoCloseable {
        final long[] ids;
        final Tensor out;
        final Gather gather;
        long arrived;

        Batch(int worker, long[] ids, GatherOptions options, boolean registered) {
            this.ids = ids;
            TensorAllocator allocator =
                    registered ? scenario.worker(worker).adapter.memory().allocator() : TensorAllocator.unregistered();
            this.out = allocator.allocate(DataType.UINT8, Shape.of(ids.length, spec.columns()));
            out.segment().fill((byte) 0xEE);
            try {
                this.gather = ends.get(worker).gather(ids, out, options, this::onRows);
            } catch (RuntimeException e) {
                out.close();
                throw e;
            }
        }

        private void onRows(long count, long asked) {
            assertThat(asked).isEqualTo(ids.length);
            assertThat(count).isBetween(arrived + 1, asked);
            arrived = count;
        }

        CompletableFuture<Void> done() {
            return gather.done();
        }

        void assertSucceeds() {
            scenario.await(() -> done().isDone(), "the gather ends");
            assertThat(done()).as("seed %d", scenario.seed).isCompleted();
            assertThat(arrived).isEqualTo(ids.length);
            long rowBytes = spec.rowBytes();
            for (int i = 0; i < ids.length; i++) {
                for (long column = 0; column < rowBytes; column++) {
                    byte found = out.segment().get(ValueLayout.JAVA_BYTE, i * rowBytes + column);
                    if (found != content(ids[i], column)) {
                        throw new AssertionError("byte " + column + " of row " + ids[i] + " at position " + i + " is "
                                + found + ", seed " + scenario.seed);
                    }
                }
            }
        }

        TransportException failure() {
            scenario.await(() -> done().isDone(), "the gather ends");
            assertThat(done()).as("seed %d", scenario.seed).isCompletedExceptionally();
            return (TransportException) done().exceptionNow();
        }

        void assertFails(StatusCode code, String why) {
            TransportException failure = failure();
            assertThat(failure.code()).as("%s, seed %d", failure, scenario.seed).isEqualTo(code);
            assertThat(failure).hasMessageContaining(why);
        }

        @Override
        public void close() {
            out.close();
        }
    }

    Batch gather(int worker, long[] ids) {
        return gather(worker, ids, GatherOptions.defaults());
    }

    Batch gather(int worker, long[] ids, GatherOptions options) {
        return new Batch(worker, ids, options, true);
    }

    void awaitReady() {
        scenario.await(() -> ends.stream().allMatch(end -> end.ready().isDone()), "all parts can be read");
    }

    /// Closes all ends of living workers, and waits until their memory is back.
    @Override
    public void close() {
        for (int i = 0; i < ends.size(); i++) {
            ends.get(i).close();
        }
        scenario.await(
                () -> {
                    for (int i = 0; i < ends.size(); i++) {
                        if (scenario.worker(i).isAlive() && !ends.get(i).ended().isDone()) {
                            return false;
                        }
                    }
                    return true;
                },
                "the memory of all ends is given back");
    }
}
