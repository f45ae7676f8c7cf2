package io.tensorferry.api;

/// Rows next to each other. Immutable.
///
/// @param first the first row, 0 or more
/// @param end the row behind the last
public record RowRange(long first, long end) {
    public static final RowRange EMPTY = new RowRange(0, 0);

    /// @throws IllegalArgumentException unless 0 <= first <= end
    public RowRange {
        if (first < 0 || end < first) {
            throw new IllegalArgumentException("rows " + first + " to " + end + " are no range");
        }
    }

    public long count() {
        return end - first;
    }

    public boolean isEmpty() {
        return first == end;
    }

    public boolean contains(long row) {
        return row >= first && row < end;
    }

    /// As `[3, 7)`.
    @Override
    public String toString() {
        return "[" + first + ", " + end + ")";
    }
}
