package io.tensorferry.samples.features;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Collects the features of sampled neighbourhoods. Each worker holds the features of a range of a graph's nodes; the
/// first worker draws batches and gathers the features that they need. In this sample all workers run in one process,
/// in a real application in several: [Share] is the part of one process.
@Command(
        name = "features",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Gathers the features of sampled neighbourhoods of a synthetic R-MAT graph from several workers.",
        showDefaultValues = true)
public final class FeatureCollection implements Callable<Integer> {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final String NAME = "features";

    @Option(names = "--workers", paramLabel = "N", description = "workers that share the features")
    private int workers = 3;

    @Option(names = "--scale", paramLabel = "S", description = "the graph has 2^S nodes")
    private int scale = 16;

    @Option(names = "--degree", paramLabel = "D", description = "edges for each node, on average")
    private int degree = 16;

    @Option(names = "--columns", paramLabel = "C", description = "features of a node, each a float")
    private int columns = 512;

    @Option(names = "--batches", paramLabel = "B", description = "batches to collect")
    private int batches = 20;

    @Option(names = "--seeds", paramLabel = "K", description = "seed nodes of a batch")
    private int seeds = 1024;

    @Option(
            names = "--cached",
            paramLabel = "R",
            description = "nodes whose features the collecting worker keeps a copy of: those with most neighbours")
    private long cached = 1024;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new FeatureCollection()).execute(arguments));
    }

    /// The result of the collection.
    ///
    /// @param rows the rows of all batches
    /// @param remoteRows the rows from other workers
    /// @param reads the READs that fetched the remote rows
    /// @param seconds the total time of the gathers
    record Outcome(long rows, long remoteRows, long reads, double seconds) {}

    @Override
    public Integer call() {
        Outcome outcome = collect();
        System.out.printf("graph     R-MAT (synthetic), %,d nodes, %,d edges%n", 1L << scale, (1L << scale) * degree);
        System.out.printf("features  %,d floats of each node, on %d workers%n", columns, workers);
        System.out.printf("gathered  %,d rows in %d batches, each checked%n", outcome.rows(), batches);
        System.out.printf(
                "read      %,d remote rows by %,d reads, %,d were local%n",
                outcome.remoteRows(), outcome.reads(), outcome.rows() - outcome.remoteRows());
        System.out.printf(
                "speed     %,.0f rows/s, %,.1f MB/s%n",
                outcome.rows() / outcome.seconds(), outcome.rows() * columns * 4 / outcome.seconds() / 1e6);
        return 0;
    }

    /// @throws IllegalStateException if a row has the wrong content
    Outcome collect() {
        List<Integer> ports = FreePorts.pick(workers);
        List<String> addresses = IntStream.range(0, workers)
                .mapToObj(task -> Place.of(task).host() + ":" + ports.get(task))
                .toList();
        var cluster = ClusterSpec.of(Map.of("worker", addresses));
        var shares = new ArrayList<Share>();
        try {
            for (int task = 0; task < workers; task++) {
                shares.add(new Share(cluster, task));
            }
            return collect(shares.getFirst());
        } finally {
            shares.forEach(Share::close);
        }
    }

    private PartitionedTensorSpec spec() {
        List<String> names = IntStream.range(0, workers)
                .mapToObj(task -> "/job:worker/replica:0/task:" + task)
                .toList();
        long nodes = 1L << scale;
        return PartitionedTensorSpec.of(NAME, DataType.FLOAT, columns, RowPartition.even(nodes, names));
    }

    /// One worker, with the features of its nodes.
    private final class Share implements AutoCloseable {
        private final TransportServer server;
        private final PartitionedTensor features;

        Share(ClusterSpec cluster, int task) {
            server = TransportServer.builder()
                    .cluster(cluster)
                    .job("worker")
                    .task(task)
                    .allowInsecure(true)
                    .rdmaConfig(Place.of(task).rdmaConfig())
                    .start();
            long copied = Math.min(cached, 1L << scale);
            features = server.openPartitioned(
                    task == 0 && copied > 0 ? spec().withReplicated(new RowRange(0, copied)) : spec());
            fill(features.localRows(), features.localRange());
            features.publish();
        }

        private void fill(MemorySegment rows, RowRange range) {
            for (long node = range.first(); node < range.end(); node++) {
                long row = (node - range.first()) * columns;
                for (int column = 0; column < columns; column++) {
                    rows.set(FLOAT, 4 * (row + column), feature(node, column));
                }
            }
        }

        /// Caches the nodes with low numbers, which have the most neighbours in this graph.
        void keepACopy() {
            long count = features.replicatedRows().byteSize() / features.spec().rowBytes();
            if (count == 0) {
                return;
            }
            long[] nodes = IntStream.range(0, (int) count).asLongStream().toArray();
            try (Tensor copy =
                    Tensor.wrap(DataType.FLOAT, Shape.of(count, columns), features.replicatedRows(), () -> {})) {
                features.gather(nodes, copy).done().join();
            }
            features.useReplica();
        }

        PartitionStatistics statistics() {
            return Objects.requireNonNull(server.statistics().partitioned());
        }

        @Override
        public void close() {
            features.close();
            server.close();
        }
    }

    private Outcome collect(Share share) {
        share.keepACopy();
        RmatGraph graph = RmatGraph.draw(scale, degree, 1);
        var sampler = new NeighbourSampler(graph, 2, 15, 10);
        PartitionStatistics first = share.statistics();
        long rows = 0;
        long nanoseconds = 0;
        for (int batch = 0; batch < batches; batch++) {
            long[] nodes = sampler.draw(seeds);
            try (Tensor collected =
                    share.server.allocator().allocate(DataType.FLOAT, Shape.of(nodes.length, columns))) {
                long before = System.nanoTime();
                share.features.gather(nodes, collected).done().join();
                nanoseconds += System.nanoTime() - before;
                check(nodes, collected.segment());
            }
            rows += nodes.length;
        }
        PartitionStatistics last = share.statistics();
        return new Outcome(
                rows, last.remoteRows() - first.remoteRows(), last.reads() - first.reads(), nanoseconds / 1e9);
    }

    private void check(long[] nodes, MemorySegment collected) {
        for (int i = 0; i < nodes.length; i++) {
            for (int column = 0; column < columns; column++) {
                float found = collected.get(FLOAT, 4 * ((long) i * columns + column));
                if (found != feature(nodes[i], column)) {
                    throw new IllegalStateException(
                            "feature " + column + " of node " + nodes[i] + " is " + found + " at position " + i);
                }
            }
        }
    }

    private static float feature(long node, int column) {
        return node + column / 1024f;
    }
}
