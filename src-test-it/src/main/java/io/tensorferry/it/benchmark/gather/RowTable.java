package io.tensorferry.it.benchmark.gather;

import io.tensorferry.api.DataType;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;
import java.util.List;

/// The layout of the rows of one length, common to both ends. The producer holds all rows.
final class RowTable {
    private static final long BYTES = 64L << 20;
    private static final long MOST_ROWS = 1 << 20;

    private RowTable() {}

    static PartitionedTensorSpec of(long rowBytes) {
        long rows = Math.clamp(BYTES / Math.max(1, rowBytes), 2, MOST_ROWS);
        return PartitionedTensorSpec.of(
                "rows of " + rowBytes,
                DataType.UINT8,
                rowBytes,
                RowPartition.even(rows, List.of(RendezvousNode.PRODUCER.worker())));
    }
}
