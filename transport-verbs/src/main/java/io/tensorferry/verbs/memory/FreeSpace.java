package io.tensorferry.verbs.memory;

import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The free blocks of all slabs: the smallest that fits is taken, and a freed block is joined with its free
/// neighbours, each in O(log n).
///
/// Equal sizes go by slab and offset, so that the same calls give the same places in every run. Threading: under
/// the lock of the [SlabPool].
final class FreeSpace {
    private final TreeMap<Fit, Block> blocks = new TreeMap<>();

    private record Fit(long size, long slabNumber, long offset) implements Comparable<Fit> {
        private static final Comparator<Fit> ORDER = Comparator.comparingLong(Fit::size)
                .thenComparingLong(Fit::slabNumber)
                .thenComparingLong(Fit::offset);

        static Fit of(Block block) {
            return new Fit(block.size(), block.slab().number(), block.offset());
        }

        @Override
        public int compareTo(Fit other) {
            return ORDER.compare(this, other);
        }
    }

    int blockCount() {
        return blocks.size();
    }

    void add(Block block) {
        blocks.put(Fit.of(block), block);
    }

    /// A block of exactly `size` bytes, a multiple of [Block#ALIGNMENT], or null where no free block is so large.
    @Nullable
    Block take(long size) {
        var smallest = blocks.ceilingEntry(new Fit(size, 0, 0));
        if (smallest == null) {
            return null;
        }
        Block block = smallest.getValue();
        blocks.remove(smallest.getKey());
        block.setFree(false);
        if (block.size() > size) {
            add(block.split(size));
        }
        return block;
    }

    void give(Block block) {
        Block joined = block;
        Block next = block.next();
        if (next != null && next.isFree()) {
            blocks.remove(Fit.of(next));
            joined.absorb(next);
        }
        Block previous = block.previous();
        if (previous != null && previous.isFree()) {
            blocks.remove(Fit.of(previous));
            previous.absorb(joined);
            joined = previous;
        }
        joined.setFree(true);
        add(joined);
    }

    /// Takes every slab that nothing is out of.
    List<Slab> takeWholeSlabs() {
        List<Block> whole = blocks.values().stream().filter(Block::isWholeSlab).toList();
        whole.forEach(block -> blocks.remove(Fit.of(block)));
        return whole.stream().map(Block::slab).toList();
    }
}
