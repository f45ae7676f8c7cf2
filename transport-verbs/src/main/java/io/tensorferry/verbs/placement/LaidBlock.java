package io.tensorferry.verbs.placement;

import java.util.Arrays;

/// Up to 64 laid spans with consecutive offsets: one block of [LaidSpans], which owns it.
///
/// Planning spends its time here, so the block uses columns of numbers instead of objects. Two words of bits per time
/// slice, one bit per span, exclude nearly all spans that are not in use together with the span to be laid.
final class LaidBlock {
    static final int CAPACITY = Long.SIZE;

    private final long[] starts = new long[CAPACITY];
    private final long[] ends = new long[CAPACITY];
    private final int[] firsts = new int[CAPACITY];
    private final int[] lasts = new int[CAPACITY];

    /// By slice: the spans that begin in the slice or before it.
    private final long[] begun;

    /// By slice: the spans that end in the slice or after it.
    private final long[] notEnded;

    private int count;

    LaidBlock(int slices) {
        begun = new long[slices];
        notEnded = new long[slices];
    }

    boolean isFull() {
        return count == CAPACITY;
    }

    /// The offset of the block's first span. The block must not be empty.
    long start() {
        return starts[0];
    }

    /// Continues the search of [LaidSpans#lay] through this block.
    ///
    /// @param offset the lowest offset that no earlier block excludes
    /// @return the lowest offset that this block does not exclude either, or its bitwise complement if `span` fits
    ///     there, below a span of this block
    long search(Span span, int firstSlice, int lastSlice, long offset) {
        long lowest = offset;
        for (long candidates = begun[lastSlice] & notEnded[firstSlice]; candidates != 0; candidates &= candidates - 1) {
            int i = Long.numberOfTrailingZeros(candidates);
            if (firsts[i] <= span.last() && span.first() <= lasts[i]) {
                if (starts[i] - lowest >= span.bytes()) {
                    return ~lowest;
                }
                lowest = Math.max(lowest, ends[i]);
            }
        }
        return lowest;
    }

    /// Adds a span to a block that is not full.
    void insert(Span span, int firstSlice, int lastSlice, long offset) {
        int found = Arrays.binarySearch(starts, 0, count, offset);
        int at = found < 0 ? -found - 1 : found;
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
        long bit = 1L << at;
        long below = bit - 1;
        for (int slice = 0; slice < begun.length; slice++) {
            begun[slice] = withGap(begun[slice], below) | (slice >= firstSlice ? bit : 0);
            notEnded[slice] = withGap(notEnded[slice], below) | (slice <= lastSlice ? bit : 0);
        }
    }

    private static long withGap(long bits, long below) {
        return (bits & below) | (bits & ~below) << 1;
    }

    /// Moves the upper half of a full block into a new block, and returns it.
    LaidBlock split() {
        int half = CAPACITY / 2;
        var upper = new LaidBlock(begun.length);
        System.arraycopy(starts, half, upper.starts, 0, half);
        System.arraycopy(ends, half, upper.ends, 0, half);
        System.arraycopy(firsts, half, upper.firsts, 0, half);
        System.arraycopy(lasts, half, upper.lasts, 0, half);
        upper.count = half;
        count = half;
        long lower = (1L << half) - 1;
        for (int slice = 0; slice < begun.length; slice++) {
            upper.begun[slice] = begun[slice] >>> half;
            begun[slice] &= lower;
            upper.notEnded[slice] = notEnded[slice] >>> half;
            notEnded[slice] &= lower;
        }
        return upper;
    }
}
