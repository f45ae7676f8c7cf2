package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.config.MemoryOptions;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A piece of a slab, free or given out, linked with the pieces before and after it.
///
/// Offset and size are multiples of [#ALIGNMENT]. Threading: all fields but the slab belong to the lock of the
/// [SlabPool]; while a block is given out its offset and size do not change, so its holder reads them without the
/// lock.
final class SlabBlock {
    static final long ALIGNMENT = MemoryOptions.ALIGNMENT;

    private final Slab slab;
    private final long offset;
    private long size;
    private boolean free;
    private @Nullable SlabBlock previous;
    private @Nullable SlabBlock next;

    // The tree of free blocks, see FreeSpace.
    @Nullable
    SlabBlock treeLess;

    @Nullable
    SlabBlock treeMore;

    int treePriority;

    /// A block of a whole slab, given out.
    SlabBlock(Slab slab) {
        this(slab, 0, slab.byteSize(), false);
    }

    private SlabBlock(Slab slab, long offset, long size, boolean free) {
        this.slab = slab;
        this.offset = offset;
        this.size = size;
        this.free = free;
    }

    static long roundUp(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    Slab slab() {
        return slab;
    }

    long offset() {
        return offset;
    }

    long size() {
        return size;
    }

    boolean isFree() {
        return free;
    }

    void setFree(boolean free) {
        this.free = free;
    }

    boolean isWholeSlab() {
        return size == slab.byteSize();
    }

    long address() {
        return slab.address() + offset;
    }

    /// The first `bytes` bytes of it; null where the processor does not reach them.
    @Nullable
    MemorySegment segment(long bytes) {
        MemorySegment whole = slab.segment();
        return whole == null ? null : whole.asSlice(offset, bytes);
    }

    @Nullable
    SlabBlock previous() {
        return previous;
    }

    @Nullable
    SlabBlock next() {
        return next;
    }

    /// Cuts this block down to `newSize`; returns the rest as a free block.
    SlabBlock split(long newSize) {
        var rest = new SlabBlock(slab, offset + newSize, size - newSize, true);
        rest.previous = this;
        rest.next = next;
        if (next != null) {
            next.previous = rest;
        }
        next = rest;
        size = newSize;
        return rest;
    }

    /// Takes the bytes of the block after this one, which ceases to be.
    void absorb(SlabBlock neighbour) {
        size += neighbour.size;
        next = neighbour.next;
        if (next != null) {
            next.previous = this;
        }
    }
}
