package io.tensorferry.verbs.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The free blocks of all slabs: best-fit allocation, and coalescing of freed neighbours, each in O(log n).
///
/// Blocks of equal size are ordered by slab and offset, so that the same calls return the same places in every run. The
/// blocks themselves are the nodes of the tree (a treap, balanced by pseudo-random priorities). Freeing a block
/// therefore allocates no object, which matters because the completion loop frees the memory of sent tensors.
/// Threading: under the lock of the [SlabPool].
final class FreeSpace {
    private @Nullable SlabBlock root;
    private int count;

    int blockCount() {
        return count;
    }

    void add(SlabBlock block) {
        block.treePriority = priority(block);
        root = insert(root, block);
        count++;
    }

    /// Takes a block of exactly `size` bytes, a multiple of [SlabBlock#ALIGNMENT]; returns null if no free block is
    /// large enough.
    @Nullable
    SlabBlock take(long size) {
        SlabBlock block = smallestOf(size);
        if (block == null) {
            return null;
        }
        remove(block);
        block.setFree(false);
        if (block.size() > size) {
            add(block.split(size));
        }
        return block;
    }

    private @Nullable SlabBlock smallestOf(long size) {
        SlabBlock smallest = null;
        SlabBlock at = root;
        while (at != null) {
            if (at.size() >= size) {
                smallest = at;
                at = at.treeLess;
            } else {
                at = at.treeMore;
            }
        }
        return smallest;
    }

    void give(SlabBlock block) {
        SlabBlock joined = block;
        SlabBlock next = block.next();
        if (next != null && next.isFree()) {
            remove(next);
            joined.absorb(next);
        }
        SlabBlock previous = block.previous();
        if (previous != null && previous.isFree()) {
            remove(previous);
            previous.absorb(joined);
            joined = previous;
        }
        joined.setFree(true);
        add(joined);
    }

    /// Removes and returns every slab without allocated blocks.
    List<Slab> takeWholeSlabs() {
        var whole = new ArrayList<SlabBlock>();
        collectWhole(root, whole);
        whole.forEach(this::remove);
        return whole.stream().map(SlabBlock::slab).toList();
    }

    private static void collectWhole(@Nullable SlabBlock at, List<SlabBlock> into) {
        if (at != null) {
            collectWhole(at.treeLess, into);
            if (at.isWholeSlab()) {
                into.add(at);
            }
            collectWhole(at.treeMore, into);
        }
    }

    private void remove(SlabBlock block) {
        root = remove(root, block);
        block.treeLess = null;
        block.treeMore = null;
        count--;
    }

    /// Orders blocks by allocation preference.
    private static boolean isLess(SlabBlock one, SlabBlock other) {
        if (one.size() != other.size()) {
            return one.size() < other.size();
        }
        long oneSlab = one.slab().number();
        long otherSlab = other.slab().number();
        if (oneSlab != otherSlab) {
            return oneSlab < otherSlab;
        }
        return one.offset() < other.offset();
    }

    /// A pseudo-random priority that is the same in every run.
    private static int priority(SlabBlock block) {
        long mixed = ((block.slab().number() << 40) ^ block.offset()) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return (int) (mixed >>> 32);
    }

    private static SlabBlock insert(@Nullable SlabBlock at, SlabBlock added) {
        if (at == null) {
            return added;
        }
        if (isLess(added, at)) {
            SlabBlock less = insert(at.treeLess, added);
            at.treeLess = less;
            if (less.treePriority > at.treePriority) {
                at.treeLess = less.treeMore;
                less.treeMore = at;
                return less;
            }
        } else {
            SlabBlock more = insert(at.treeMore, added);
            at.treeMore = more;
            if (more.treePriority > at.treePriority) {
                at.treeMore = more.treeLess;
                more.treeLess = at;
                return more;
            }
        }
        return at;
    }

    @SuppressWarnings("ReferenceEquality")
    private static @Nullable SlabBlock remove(@Nullable SlabBlock at, SlabBlock removed) {
        if (at == null) {
            throw new IllegalStateException("the block is not free");
        }
        if (at == removed) {
            return join(at.treeLess, at.treeMore);
        }
        if (isLess(removed, at)) {
            at.treeLess = remove(at.treeLess, removed);
        } else {
            at.treeMore = remove(at.treeMore, removed);
        }
        return at;
    }

    private static @Nullable SlabBlock join(@Nullable SlabBlock less, @Nullable SlabBlock more) {
        if (less == null) {
            return more;
        }
        if (more == null) {
            return less;
        }
        if (less.treePriority > more.treePriority) {
            less.treeMore = join(less.treeMore, more);
            return less;
        }
        more.treeLess = join(less, more.treeLess);
        return more;
    }
}
