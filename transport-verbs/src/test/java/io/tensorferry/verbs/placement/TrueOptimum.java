package io.tensorferry.verbs.placement;

import java.util.Comparator;
import java.util.List;

/// The fewest units that a few blocks need, found by trying every stacking order. Shares no code
/// with the planner. Owned by the call that makes it.
///
/// Each order is laid block by block, each at the lowest free height; the order by height in an optimal arrangement
/// gives an optimal arrangement again, so the best order is the optimum.
final class TrueOptimum {
    /// @param size in units
    record Block(int size, int first, int last) {
        boolean meets(Block other) {
            return first <= other.last && other.first <= last;
        }
    }

    private final List<Block> blocks;
    private final int[] heights;
    private final boolean[] laid;
    private int best;

    private TrueOptimum(List<Block> blocks) {
        this.blocks = blocks;
        this.heights = new int[blocks.size()];
        this.laid = new boolean[blocks.size()];
        this.best = blocks.stream().mapToInt(Block::size).sum();
    }

    static int of(List<Block> blocks) {
        var search = new TrueOptimum(blocks);
        search.layNext(0, 0);
        return search.best;
    }

    /// The height that the blocks need in order of time, as an allocator places them that does not know later blocks.
    static int inOrderOfTime(List<Block> blocks) {
        var arrivals =
                blocks.stream().sorted(Comparator.comparingInt(Block::first)).toList();
        var search = new TrueOptimum(arrivals);
        int peak = 0;
        for (int i = 0; i < arrivals.size(); i++) {
            peak = Math.max(peak, search.lay(i));
        }
        return peak;
    }

    private void layNext(int count, int peak) {
        if (peak >= best) {
            return;
        }
        if (count == blocks.size()) {
            best = peak;
            return;
        }
        for (int i = 0; i < blocks.size(); i++) {
            if (!laid[i]) {
                int top = lay(i);
                layNext(count + 1, Math.max(peak, top));
                laid[i] = false;
            }
        }
    }

    /// Returns the top of the block.
    private int lay(int index) {
        Block block = blocks.get(index);
        int height = 0;
        // Moves up past each overlapping block until none is left.
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int i = 0; i < blocks.size(); i++) {
                if (laid[i]
                        && blocks.get(i).meets(block)
                        && heights[i] < height + block.size()
                        && height < heights[i] + blocks.get(i).size()) {
                    height = heights[i] + blocks.get(i).size();
                    moved = true;
                }
            }
        }
        heights[index] = height;
        laid[index] = true;
        return height + block.size();
    }
}
