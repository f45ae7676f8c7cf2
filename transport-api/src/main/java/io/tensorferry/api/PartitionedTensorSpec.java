package io.tensorferry.api;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What a [PartitionedTensor] is. Immutable; every worker that opens it gives an equal one, but for what it keeps
/// a copy of.
///
/// @param name by which the workers find each other's parts, 1 to 400 bytes in UTF-8
/// @param dataType of the elements; not [DataType#STRING]
/// @param columns elements of a row, 0 or more
/// @param partition who has which rows, and how many there are
/// @param replicated rows that this worker keeps a copy of, such as those that are asked for most; null for none
public record PartitionedTensorSpec(
        String name,
        DataType dataType,
        long columns,
        RowPartition partition,
        @Nullable RowRange replicated) {
    private static final int MOST_NAME_BYTES = 400;

    /// @throws IllegalArgumentException naming what is out of its range
    public PartitionedTensorSpec {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MOST_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the name of a partitioned tensor has 1 to " + MOST_NAME_BYTES + " bytes, not " + bytes);
        }
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "the elements of " + dataType + " have no fixed size; no rows of '" + name + "' could be read");
        }
        if (replicated != null && replicated.end() > partition.rows()) {
            throw new IllegalArgumentException(
                    "rows " + replicated + " of '" + name + "' cannot be copied: there are " + partition.rows());
        }
        // Notices now what would overflow.
        Shape.of(partition.rows(), columns).byteSize(dataType);
        Shape.of(columns).byteSize(dataType);
    }

    /// Without a copy of any rows.
    public static PartitionedTensorSpec of(String name, DataType dataType, long columns, RowPartition partition) {
        return new PartitionedTensorSpec(name, dataType, columns, partition, null);
    }

    /// The same with a copy of some rows on this worker.
    public PartitionedTensorSpec withReplicated(RowRange range) {
        return new PartitionedTensorSpec(name, dataType, columns, partition, range);
    }

    public long rows() {
        return partition.rows();
    }

    /// The rows of all workers together, `[rows, columns]`.
    public Shape shape() {
        return Shape.of(rows(), columns);
    }

    /// Bytes of one row.
    public long rowBytes() {
        return columns * dataType.byteSize();
    }
}
