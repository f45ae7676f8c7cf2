package io.tensorferry.verbs.placement;

import java.util.Arrays;

/// Spans that have been laid, by offset. Owned by the call that makes it.
///
/// Columns of numbers and no objects: for each span that is laid all others are looked at, and this is where planning
/// spends its time.
final class LaidSpans {
    private final long[] starts;
    private final long[] ends;
    private final int[] firsts;
    private final int[] lasts;
    private int count;

    LaidSpans(int capacity) {
        starts = new long[capacity];
        ends = new long[capacity];
        firsts = new int[capacity];
        lasts = new int[capacity];
    }

    /// Lays `span` at the lowest offset where it meets none of those that are laid; returns the offset.
    long lay(Span span) {
        long offset = lowest(span);
        int at = Arrays.binarySearch(starts, 0, count, offset);
        insert(at < 0 ? -at - 1 : at, offset, span);
        return offset;
    }

    private long lowest(Span span) {
        long offset = 0;
        for (int i = 0; i < count; i++) {
            if (firsts[i] <= span.last() && span.first() <= lasts[i]) {
                if (starts[i] - offset >= span.bytes()) {
                    return offset;
                }
                offset = Math.max(offset, ends[i]);
            }
        }
        return offset;
    }

    private void insert(int at, long offset, Span span) {
        int behind = count - at;
        System.arraycopy(starts, at, starts, at + 1, behind);
        System.arraycopy(ends, at, ends, at + 1, behind);
        System.arraycopy(firsts, at, firsts, at + 1, behind);
        System.arraycopy(lasts, at, lasts, at + 1, behind);
        starts[at] = offset;
        ends[at] = offset + span.bytes();
        firsts[at] = span.first();
        lasts[at] = span.last();
        count++;
    }
}
