package io.tensorferry.api.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

/// Maps the rows of a [PartitionedTensor] to workers: each worker owns one contiguous range, in the order of the
/// workers, and the ranges cover all rows. Immutable.
public final class RowPartition {
    /// The largest number of rows of a tensor, 2^46.
    public static final long MOST_ROWS = 1L << 46;

    private final List<String> workers;
    // The exclusive end of each worker's range.
    private final long[] ends;

    private RowPartition(List<String> workers, long[] ends) {
        this.workers = List.copyOf(workers);
        this.ends = ends;
        if (workers.isEmpty() || new HashSet<>(workers).size() < workers.size()) {
            throw new IllegalArgumentException("a partition needs one or more workers, each only once: " + workers);
        }
        if (ends.length != workers.size()) {
            throw new IllegalArgumentException(
                    ends.length + " boundaries for " + workers.size() + " workers; each worker must have one");
        }
        long before = 0;
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] < before || ends[i] > MOST_ROWS) {
                throw new IllegalArgumentException("the rows of " + workers.get(i) + " end at " + ends[i]
                        + "; the end must be " + before + " or more, and at most " + MOST_ROWS);
            }
            before = ends[i];
        }
    }

    /// Divides the rows evenly; if `rows` is not a multiple of the number of workers, the first workers own one row
    /// more.
    ///
    /// @param rows 0 to [#MOST_ROWS]
    /// @param workers the workers' names, as `/job:worker/replica:0/task:1`
    /// @throws IllegalArgumentException if `rows` is out of its range, `workers` is empty, or a worker is named twice
    public static RowPartition even(long rows, List<String> workers) {
        long[] ends = new long[workers.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += rows / ends.length + (i < rows % ends.length ? 1 : 0);
            ends[i] = end;
        }
        if (rows < 0) {
            throw new IllegalArgumentException("rows " + rows + " must be 0 or more");
        }
        return new RowPartition(workers, ends);
    }

    /// Divides the rows at the given boundaries.
    ///
    /// @param workers the workers' names, as `/job:worker/replica:0/task:1`
    /// @param ends the exclusive end of each worker's range, in the order of `workers`; the last is the number of rows
    /// @throws IllegalArgumentException if the boundaries descend, exceed [#MOST_ROWS] or differ in number from the
    ///     workers, or a worker is named twice
    public static RowPartition ofEnds(List<String> workers, long... ends) {
        return new RowPartition(workers, ends.clone());
    }

    /// The workers' names in the order of their rows.
    public List<String> workers() {
        return workers;
    }

    /// The total number of rows.
    public long rows() {
        return ends[ends.length - 1];
    }

    /// The rows that a worker owns; [RowRange#EMPTY] if the partition does not name the worker.
    public RowRange rangeOf(String worker) {
        int index = workers.indexOf(worker);
        return index < 0 ? RowRange.EMPTY : range(index);
    }

    /// The rows of the worker at `index` of [#workers()].
    ///
    /// @throws IndexOutOfBoundsException if `index` is out of range
    public RowRange range(int index) {
        return new RowRange(index == 0 ? 0 : ends[index - 1], ends[index]);
    }

    /// The index in [#workers()] of the worker that owns `row`. Allocates nothing.
    ///
    /// @throws IndexOutOfBoundsException if `row` is negative or not less than [#rows()]
    public int ownerOf(long row) {
        if (row < 0 || row >= rows()) {
            throw new IndexOutOfBoundsException("row " + row + " is not in [0, " + rows() + ")");
        }
        // Finds the first range that ends after the row; this skips workers without rows.
        int low = 0;
        int high = ends.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] > row) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowPartition that && workers.equals(that.workers) && Arrays.equals(ends, that.ends);
    }

    @Override
    public int hashCode() {
        return 31 * workers.hashCode() + Arrays.hashCode(ends);
    }

    /// Formats the ranges as `{/job:worker/replica:0/task:0=[0, 4), /job:worker/replica:0/task:1=[4, 8)}`.
    @Override
    public String toString() {
        var parts = new ArrayList<String>();
        for (int i = 0; i < ends.length; i++) {
            parts.add(workers.get(i) + "=" + range(i));
        }
        return "{" + String.join(", ", parts) + "}";
    }
}
