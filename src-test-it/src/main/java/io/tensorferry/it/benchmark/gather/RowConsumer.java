package io.tensorferry.it.benchmark.gather;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// Gathers rows drawn at random. By default each row is a separate READ, without merging, so that there are as many
/// READs as in the C program; a knob enables merging. Two gathers are in flight at a time. For one thread.
public final class RowConsumer implements TransferPath {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long RESULT_BYTES = 32L << 20;
    private static final int MOST_ROWS = 1 << 17;
    private static final int MOST_PACED = 64;
    private static final int DIGITS = 3;
    private static final GatherOptions UNMERGED = GatherOptions.defaults().withMerged(false);

    private final String name;
    private final TransportServer server;
    private final GatherOptions options;
    private @Nullable Table table;

    private RowConsumer(String name, TransportServer server, GatherOptions options) {
        this.name = name;
        this.server = server;
        this.options = options;
    }

    /// @param ports the ports of the producer and of the consumer
    public static RowConsumer open(String name, Variant variant, Knobs knobs, List<Integer> ports)
            throws InterruptedException {
        TransportServer server = RendezvousNode.start(variant, knobs, ports, RendezvousNode.CONSUMER);
        server.awaitPeers(LIMIT);
        return new RowConsumer(name, server, knobs.applyTo(UNMERGED));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String device() {
        return server.transportDevice();
    }

    /// The number of rows of one gather.
    @Override
    public int window(long bytes) {
        return Math.clamp(RESULT_BYTES / Math.max(1, bytes), 1, MOST_ROWS);
    }

    @Override
    public Transfer throughput(long bytes, int count) {
        Table rows = table(bytes);
        long before = System.nanoTime();
        Gather last = null;
        int asked = 0;
        for (int turn = 0; asked < count; turn++) {
            int some = Math.min(window(bytes), count - asked);
            Gather next = rows.gather(some, turn % Table.RESULTS);
            if (last != null) {
                join(last);
            }
            last = next;
            asked += some;
        }
        if (last != null) {
            join(last);
        }
        return Transfer.ofThroughput(count, count * bytes, System.nanoTime() - before);
    }

    @Override
    public Transfer latency(long bytes, int count) {
        Table rows = table(bytes);
        Histogram latencies = Transfer.emptyHistogram();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long before = System.nanoTime();
            join(rows.gatherOne(0));
            latencies.recordValue(System.nanoTime() - before);
        }
        return new Transfer(count, count * bytes, System.nanoTime() - begin, latencies);
    }

    @Override
    public Transfer paced(long bytes, int count, double perSecond) throws InterruptedException {
        Table rows = table(bytes);
        int slots = Math.min(MOST_PACED, window(bytes));
        var latencies = new ConcurrentHistogram(DIGITS);
        var free = new ArrayBlockingQueue<Integer>(
                slots, false, IntStream.range(0, slots).boxed().toList());
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long due = begin + (long) (i * 1e9 / perSecond);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int slot = free.take();
            var _ = rows.gatherOne(slot).done().whenComplete((_, _) -> {
                latencies.recordValue(System.nanoTime() - due);
                free.add(slot);
            });
        }
        for (int i = 0; i < slots; i++) {
            var _ = free.take();
        }
        return new Transfer(count, count * bytes, System.nanoTime() - begin, latencies);
    }

    @Override
    public void verify(long bytes) {
        Table rows = table(bytes);
        int count = window(bytes);
        Tensor result = rows.results[0];
        result.segment().fill((byte) 0);
        join(rows.gather(count, 0));
        for (int i = 0; i < count; i++) {
            Content.check(result.segment().asSlice(i * bytes, bytes), bytes);
        }
    }

    private static void join(Gather gather) {
        gather.done().copy().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    private Table table(long bytes) {
        Table known = table;
        if (known != null) {
            if (known.spec.rowBytes() == bytes) {
                return known;
            }
            known.close();
        }
        var opened = new Table(RowTable.of(bytes));
        table = opened;
        return opened;
    }

    @Override
    public void close() {
        if (table != null) {
            table.close();
        }
        server.close();
    }

    /// The rows of one length, and their destination.
    private final class Table implements AutoCloseable {
        static final int RESULTS = 2;

        private final PartitionedTensorSpec spec;
        private final PartitionedTensor rows;
        private final long[] ids;
        private final Tensor[] results = new Tensor[RESULTS];

        Table(PartitionedTensorSpec spec) {
            this.spec = spec;
            this.rows = server.openPartitioned(spec);
            rows.ready().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            this.ids =
                    new Random(1).longs(window(spec.rowBytes()), 0, spec.rows()).toArray();
            for (int i = 0; i < RESULTS; i++) {
                results[i] = allocate(ids.length);
            }
        }

        private Tensor allocate(int count) {
            return server.allocator().allocate(DataType.UINT8, Shape.of(count, spec.columns()));
        }

        Gather gather(int count, int result) {
            if (count == ids.length) {
                return rows.gather(ids, results[result], options);
            }
            // The last gather of a measurement.
            try (Tensor part = part(result, 0, count)) {
                return rows.gather(Arrays.copyOf(ids, count), part, options);
            }
        }

        /// Gathers one row to `place`.
        Gather gatherOne(int place) {
            try (Tensor part = part(0, place, 1)) {
                return rows.gather(new long[] {ids[place]}, part, options);
            }
        }

        private Tensor part(int result, int from, int count) {
            long rowBytes = spec.rowBytes();
            return Tensor.wrap(
                    DataType.UINT8,
                    Shape.of(count, rowBytes),
                    results[result].segment().asSlice(from * rowBytes, count * rowBytes),
                    () -> {});
        }

        @Override
        public void close() {
            for (Tensor result : results) {
                result.close();
            }
            rows.close();
        }
    }
}
