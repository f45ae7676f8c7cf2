package io.tensorferry.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

/// Which worker has which rows of a [PartitionedTensor]: each worker a range, in the order of the workers, together all
/// rows. Immutable.
public final class RowPartition {
    /// The most rows that a tensor may have, 2^46.
    public static final long MOST_ROWS = 1L << 46;

    private final List<String> workers;
    // The row behind the last of each.
    private final long[] ends;

    private RowPartition(List<String> workers, long[] ends) {
        this.workers = List.copyOf(workers);
        this.ends = ends;
        if (workers.isEmpty() || new HashSet<>(workers).size() < workers.size()) {
            throw new IllegalArgumentException("a partition is over one worker or more, each named once: " + workers);
        }
        if (ends.length != workers.size()) {
            throw new IllegalArgumentException(
                    ends.length + " boundaries were given for " + workers.size() + " workers; each has one");
        }
        long before = 0;
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] < before || ends[i] > MOST_ROWS) {
                throw new IllegalArgumentException("the rows of " + workers.get(i) + " end at " + ends[i]
                        + "; that must be " + before + " or more, and at most " + MOST_ROWS);
            }
            before = ends[i];
        }
    }

    /// As even as it goes: the first workers have one row more where `rows` is no multiple of their number.
    ///
    /// @param rows 0 to [#MOST_ROWS]
    /// @param workers their names, as `/job:worker/replica:0/task:1`
    /// @throws IllegalArgumentException if there are too many rows, no workers, or one of them twice
    public static RowPartition even(long rows, List<String> workers) {
        long[] ends = new long[workers.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += rows / ends.length + (i < rows % ends.length ? 1 : 0);
            ends[i] = end;
        }
        if (rows < 0) {
            throw new IllegalArgumentException("a tensor of " + rows + " rows was asked for");
        }
        return new RowPartition(workers, ends);
    }

    /// With these boundaries.
    ///
    /// @param workers their names, as `/job:worker/replica:0/task:1`
    /// @param ends the row behind the last of each worker, in their order; the last is the number of rows
    /// @throws IllegalArgumentException if they do not ascend, are too many or too few, or a worker is named twice
    public static RowPartition ofEnds(List<String> workers, long... ends) {
        return new RowPartition(workers, ends.clone());
    }

    /// In the order of their rows.
    public List<String> workers() {
        return workers;
    }

    public long rows() {
        return ends[ends.length - 1];
    }

    /// The rows of a worker; none where it has no part.
    public RowRange rangeOf(String worker) {
        int index = workers.indexOf(worker);
        return index < 0 ? RowRange.EMPTY : range(index);
    }

    /// The rows of the worker at this place of [#workers()].
    public RowRange range(int index) {
        return new RowRange(index == 0 ? 0 : ends[index - 1], ends[index]);
    }

    /// The place in [#workers()] of whoever has this row. Makes nothing.
    ///
    /// @throws IndexOutOfBoundsException if there is no such row
    public int ownerOf(long row) {
        if (row < 0 || row >= rows()) {
            throw new IndexOutOfBoundsException("row " + row + " is none of " + rows());
        }
        // The first whose end is behind the row: workers without rows are stepped over.
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

    /// As `{/job:worker/replica:0/task:0=[0, 4), /job:worker/replica:0/task:1=[4, 8)}`.
    @Override
    public String toString() {
        var parts = new ArrayList<String>();
        for (int i = 0; i < ends.length; i++) {
            parts.add(workers.get(i) + "=" + range(i));
        }
        return "{" + String.join(", ", parts) + "}";
    }
}
