package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A contiguous range of memory that is registered as a whole and allocated in blocks.
///
/// It ends in two steps. [#deregister()] removes the registrations, so that no device can access the memory. [#free()]
/// frees the memory once no block is allocated, because the address of an allocated block may be in a system call or in
/// a user's tensor. Threading: immutable except for the allocated bytes and the registration state, which the lock of
/// the [SlabPool] guards.
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

    /// @param number identifies and orders slabs
    /// @param dedicated whether the slab serves one large request only
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

    /// The memory; null if the processor cannot access it.
    @Nullable
    MemorySegment segment() {
        return segment;
    }

    /// The region; null if the slab is not registered with the RDMA device.
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

    /// Whether no device and no holder of a block can access the memory.
    boolean isUntouchable() {
        return deregistered && bytesOut == 0;
    }

    /// Returns true if no device can access the memory any more.
    boolean deregister() {
        try {
            storage.deregister();
            return true;
        } catch (RuntimeException e) {
            // The device may still write to the memory: leaking it is better than letting it be overwritten.
            LOG.error("a slab of {} bytes could not be deregistered; its memory is not freed", byteSize, e);
            return false;
        }
    }

    void free() {
        try {
            storage.free();
        } catch (RuntimeException e) {
            // Host memory is still in use by a system call.
            LOG.error("an unused slab of {} bytes could not be freed", byteSize, e);
        }
    }
}
