package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportStatistics;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One gather of very many rows from eight peers. As many as `-Dgather.rows` says; ten million take some minutes.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LargeGatherTest {
    private static final int PEERS = 8;
    private static final int IDS = Integer.getInteger("gather.rows", 1_000_000);
    private static final long ROWS = 4_000_000;
    // What arrives elsewhere and is copied, and the pieces of channels.
    private static final long MOST_BYTES = 64L << 20;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Test
    void rowsFromEightPeersArriveInBoundedMemory() throws Exception {
        List<Integer> ports = FreePorts.pick(PEERS + 1);
        var cluster = ClusterSpec.of(
                Map.of("worker", ports.stream().map(port -> "localhost:" + port).toList()));
        List<String> names = IntStream.rangeClosed(1, PEERS)
                .mapToObj(task -> "/job:worker/replica:0/task:" + task)
                .toList();
        var spec = PartitionedTensorSpec.of("rows", DataType.INT64, 1, RowPartition.even(ROWS, names));
        var servers = new ArrayList<TransportServer>();
        try {
            for (int task = 0; task <= PEERS; task++) {
                servers.add(TransportServer.builder()
                        .cluster(cluster)
                        .job("worker")
                        .task(task)
                        .start());
            }
            for (TransportServer server : servers.subList(1, PEERS + 1)) {
                PartitionedTensor part = server.openPartitioned(spec);
                for (long i = 0; i < part.localRange().count(); i++) {
                    part.localRows().set(LONG, 8 * i, value(part.localRange().first() + i));
                }
                part.publish();
            }
            gather(servers.getFirst(), spec);
        } finally {
            servers.forEach(TransportServer::close);
        }
    }

    private static void gather(TransportServer reader, PartitionedTensorSpec spec) throws Exception {
        long[] ids = new Random(1).longs(IDS, 0, ROWS).toArray();
        try (PartitionedTensor tensor = reader.openPartitioned(spec);
                Tensor out = reader.allocator().allocate(DataType.INT64, Shape.of(ids.length, 1))) {
            Gather gather = tensor.gather(ids, out);
            gather.done().get(9, TimeUnit.MINUTES);
            for (int i = 0; i < ids.length; i++) {
                if (out.segment().get(LONG, 8L * i) != value(ids[i])) {
                    throw new AssertionError("row " + ids[i] + " at position " + i);
                }
            }
            TransportStatistics statistics = reader.statistics();
            assertThat(statistics.partitioned().remoteRows()).isEqualTo(IDS);
            assertThat(statistics.verbs().memory().highWaterBytes() - out.byteSize())
                    .isLessThan(MOST_BYTES);
        }
    }

    private static long value(long row) {
        return row * 0x9E37_79B9_7F4A_7C15L;
    }
}
