package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stretch of memory that is known to devices as a whole, and given out in pieces.
///
/// It ends in two steps. [#deregister()] ends what devices know of it: none reaches it any more. [#free()] frees
/// the memory, and comes only when no block of it is out: the address of a block that is out may be in a system call
/// or in a user's tensor. Threading: immutable but for the bytes that are out and whether it is registered, which
/// belong to the lock of the [SlabPool].
final class Slab {
    private static final Logger LOG = LoggerFactory.getLogger(Slab.class);

    private final long number;
    private final SlabStorage storage;
    private final long address;
    private final long byteSize;
    private final @Nullable MemorySegment segment;
    private final @Nullable MemoryRegion region;
    private final boolean dedicated;
    private long bytesOut;
    private boolean deregistered;

    /// @param number distinguishes and orders slabs
    /// @param dedicated whether it serves one large request alone
    Slab(long number, SlabStorage storage, boolean dedicated) {
        this.number = number;
        this.storage = storage;
        this.address = storage.address();
        this.byteSize = storage.byteSize();
        this.segment = storage.segment();
        this.region = storage.region();
        this.dedicated = dedicated;
    }

    long number() {
        return number;
    }

    long address() {
        return address;
    }

    long byteSize() {
        return byteSize;
    }

    /// Null where the processor does not reach it.
    @Nullable
    MemorySegment segment() {
        return segment;
    }

    /// Null where the RDMA device does not know it.
    @Nullable
    MemoryRegion region() {
        return region;
    }

    boolean isDedicated() {
        return dedicated;
    }

    void addBytesOut(long bytes) {
        bytesOut += bytes;
    }

    void setDeregistered() {
        deregistered = true;
    }

    /// Whether neither a device nor anybody who holds a block can touch the memory.
    boolean isUntouchable() {
        return deregistered && bytesOut == 0;
    }

    /// Returns whether no device reaches it any more.
    boolean deregister() {
        try {
            storage.deregister();
            return true;
        } catch (RuntimeException e) {
            // The device may still write there: memory that is lost is better than memory that is overwritten.
            LOG.error("a slab of {} bytes could not be deregistered; its memory is not freed", byteSize, e);
            return false;
        }
    }

    void free() {
        try {
            storage.free();
        } catch (RuntimeException e) {
            // Of host memory: it is still in a system call.
            LOG.error("a slab of {} bytes that nobody holds a piece of could not be freed", byteSize, e);
        }
    }
}
