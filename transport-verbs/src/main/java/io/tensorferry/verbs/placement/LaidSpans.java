package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.List;

/// The laid spans, by offset, in blocks. Owned by the call that creates it.
final class LaidSpans {
    private final TimeSlices slices;
    private final List<LaidBlock> blocks = new ArrayList<>();

    LaidSpans(TimeSlices slices) {
        this.slices = slices;
        blocks.add(new LaidBlock(slices.count()));
    }

    /// Lays `span` at the lowest offset without overlap with a laid span; returns the offset.
    long lay(Span span) {
        int firstSlice = slices.of(span.first());
        int lastSlice = slices.of(span.last());
        long offset = lowest(span, firstSlice, lastSlice);
        blockFor(offset).insert(span, firstSlice, lastSlice, offset);
        return offset;
    }

    private long lowest(Span span, int firstSlice, int lastSlice) {
        long offset = 0;
        for (LaidBlock block : blocks) {
            offset = block.search(span, firstSlice, lastSlice, offset);
            if (offset < 0) {
                return ~offset;
            }
        }
        return offset;
    }

    /// Returns the block for a span at `offset`, splitting it if it is full.
    private LaidBlock blockFor(long offset) {
        int at = indexFor(offset);
        LaidBlock block = blocks.get(at);
        if (!block.isFull()) {
            return block;
        }
        LaidBlock upper = block.split();
        blocks.add(at + 1, upper);
        return upper.start() <= offset ? upper : block;
    }

    /// Returns the index of the last block that starts at or below `offset`, or of the first block if there is none.
    private int indexFor(long offset) {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (blocks.get(middle).start() <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
