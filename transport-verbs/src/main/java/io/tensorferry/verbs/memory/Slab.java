package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stretch of off-heap memory with one arena and one registration.
///
/// It ends in two steps. [#deregister()] ends the registration: no device reaches it any more. [#closeArena()]
/// frees the memory, and comes only when no block of it is out: the address of a block that is out may be in a
/// system call or in a user's tensor. Threading: immutable but for the bytes that are out and whether it is
/// registered, which belong to the lock of the [SlabPool].
final class Slab {
    private static final Logger LOG = LoggerFactory.getLogger(Slab.class);

    private final long number;
    private final Arena arena;
    private final MemorySegment segment;
    private final MemoryRegion region;
    private final boolean dedicated;
    private long bytesOut;
    private boolean deregistered;

    private Slab(long number, Arena arena, MemorySegment segment, MemoryRegion region, boolean dedicated) {
        this.number = number;
        this.arena = arena;
        this.segment = segment;
        this.region = region;
        this.dedicated = dedicated;
    }

    /// Allocates and registers; slow, so without the pool's lock.
    ///
    /// @param number distinguishes and orders slabs
    /// @param dedicated whether it serves one large request alone
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory, or it cannot be
    ///     pinned
    static Slab open(long number, long bytes, boolean dedicated, SlabMemory memory, MemoryRegistrar registrar) {
        // Shared: any thread uses it. Closed by the pool; an automatic arena could end while only a device or a peer
        // knows the address.
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = memory.allocate(arena, bytes);
            return new Slab(number, arena, segment, registrar.register(segment), dedicated);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    long number() {
        return number;
    }

    MemorySegment segment() {
        return segment;
    }

    MemoryRegion region() {
        return region;
    }

    long byteSize() {
        return segment.byteSize();
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

    /// Returns whether the registration has ended.
    boolean deregister() {
        try {
            region.close();
            return true;
        } catch (RuntimeException e) {
            // The device may still write there: memory that is lost is better than memory that is overwritten.
            LOG.error("a slab of {} bytes could not be deregistered; its memory is not freed", byteSize(), e);
            return false;
        }
    }

    void closeArena() {
        try {
            arena.close();
        } catch (IllegalStateException e) {
            LOG.error(
                    "a slab of {} bytes is still in a system call though nobody holds a piece; its memory is not freed",
                    byteSize(),
                    e);
        }
    }
}
