package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.List;

/// Spans that have been laid, by offset, in blocks. Owned by the call that makes it.
final class LaidSpans {
    private final TimeSlices slices;
    private final List<LaidBlock> blocks = new ArrayList<>();

    LaidSpans(TimeSlices slices) {
        this.slices = slices;
        blocks.add(new LaidBlock(slices.count()));
    }

    /// Lays `span` at the lowest offset where it meets none of those that are laid; returns the offset.
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

    /// The block that a span at `offset` belongs into; it has room.
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

    /// Of the blocks that start at `offset` or below, the last; the first block where none does.
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
