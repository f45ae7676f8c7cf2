package io.tensorferry.api.partition;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Describes a [PartitionedTensor]. Immutable. All workers open equal specifications, except for `replicated`.
///
/// @param name identifies the tensor among the workers, 1 to 400 bytes in UTF-8
/// @param dataType the type of the elements; not [DataType#STRING]
/// @param columns the number of elements of a row, 0 or more
/// @param partition the owner of each row, and the number of rows
/// @param replicated rows that this worker keeps a replica of, such as frequently requested rows; null for none
public record PartitionedTensorSpec(
        String name,
        DataType dataType,
        long columns,
        RowPartition partition,
        @Nullable RowRange replicated) {
    private static final int MOST_NAME_BYTES = 400;

    /// @throws IllegalArgumentException if a value is out of its range; the message names it
    public PartitionedTensorSpec {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MOST_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the name of a partitioned tensor must have 1 to " + MOST_NAME_BYTES + " bytes, not " + bytes);
        }
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "the elements of " + dataType + " have no fixed size; no rows of '" + name + "' could be read");
        }
        if (replicated != null && replicated.end() > partition.rows()) {
            throw new IllegalArgumentException(
                    "replicated rows " + replicated + " of '" + name + "' exceed its rows, " + partition.rows());
        }
        // Fails early if a size overflows.
        Shape.of(partition.rows(), columns).byteSize(dataType);
        Shape.of(columns).byteSize(dataType);
    }

    /// Creates a specification without a replica.
    public static PartitionedTensorSpec of(String name, DataType dataType, long columns, RowPartition partition) {
        return new PartitionedTensorSpec(name, dataType, columns, partition, null);
    }

    /// Returns a copy with a replica of `range` on this worker.
    ///
    /// @throws IllegalArgumentException if `range` exceeds the rows of the tensor
    public PartitionedTensorSpec withReplicated(RowRange range) {
        return new PartitionedTensorSpec(name, dataType, columns, partition, range);
    }

    /// The total number of rows.
    public long rows() {
        return partition.rows();
    }

    /// The shape of the whole tensor, `[rows, columns]`.
    public Shape shape() {
        return Shape.of(rows(), columns);
    }

    /// The size of one row in bytes.
    public long rowBytes() {
        return columns * dataType.byteSize();
    }
}
