package io.tensorferry.api.partition;

/// A contiguous range of rows, `[first, end)`. Immutable.
///
/// @param first the first row, 0 or more
/// @param end the row after the last, `first` or more
public record RowRange(long first, long end) {
    /// The range without rows, `[0, 0)`.
    public static final RowRange EMPTY = new RowRange(0, 0);

    /// @throws IllegalArgumentException unless 0 <= first <= end
    public RowRange {
        if (first < 0 || end < first) {
            throw new IllegalArgumentException("row range [" + first + ", " + end + ") must have 0 <= first <= end");
        }
    }

    /// The number of rows.
    public long count() {
        return end - first;
    }

    /// Whether the range has no rows.
    public boolean isEmpty() {
        return first == end;
    }

    /// Whether `row` is in the range.
    public boolean contains(long row) {
        return row >= first && row < end;
    }

    /// Formats the range as `[3, 7)`.
    @Override
    public String toString() {
        return "[" + first + ", " + end + ")";
    }
}
