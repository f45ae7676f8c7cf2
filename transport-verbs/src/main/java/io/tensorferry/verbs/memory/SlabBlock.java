package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.config.MemoryOptions;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A free or allocated block of a slab, linked with its neighbours.
///
/// Offset and size are multiples of [#ALIGNMENT]. Threading: the lock of the [SlabPool] guards all fields except the
/// slab. Offset and size of an allocated block do not change, so its holder reads them without the lock.
final class SlabBlock {
    static final long ALIGNMENT = MemoryOptions.ALIGNMENT;

    private final Slab slab;
    private final long offset;
    private long size;
    private boolean free;
    private @Nullable SlabBlock previous;
    private @Nullable SlabBlock next;

    // Links of the tree of free blocks, see FreeSpace.
    @Nullable
    SlabBlock treeLess;

    @Nullable
    SlabBlock treeMore;

    int treePriority;

    /// Creates an allocated block of a whole slab.
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

    /// Returns the first `bytes` bytes; null if the processor cannot access them.
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

    /// Truncates this block to `newSize`; returns the rest as a free block.
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

    /// Merges the next block into this one.
    void absorb(SlabBlock neighbour) {
        size += neighbour.size;
        next = neighbour.next;
        if (next != null) {
            next.previous = this;
        }
    }
}
