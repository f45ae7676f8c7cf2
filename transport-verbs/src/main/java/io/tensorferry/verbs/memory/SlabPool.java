package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.statistics.MemoryStatistics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Allocates buffers from registered slabs, and registers more slabs as needed. [RegisteredMemory] opens and closes the
/// pool.
///
/// The pool keeps registered slabs, with two exceptions. Of the released dedicated slabs of requests larger than
/// `slabBytes`, it keeps a bounded number of bytes for reuse ([IdleSlabs]). If the limit would otherwise reject a
/// request, it releases the slabs without allocated blocks.
///
/// Threading: any thread; releasing memory never blocks. `lock` guards the state and is held for a few tree operations.
/// The thread that registers or releases slabs, which is slow, holds `growth`. `growth` is taken before `lock`, never
/// after.
public final class SlabPool {
    private static final Logger LOG = LoggerFactory.getLogger(SlabPool.class);
    /// Larger than any address space, so that rounding up cannot overflow.
    private static final long LARGEST_REQUEST = 1L << 62;

    private final MemoryOptions options;
    private final SlabSource source;
    private final RegionTable regions;
    private final MemoryWaits waits;

    private final ReentrantLock growth = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final FreeSpace free = new FreeSpace();
    private final IdleSlabs idle;
    private final Set<Slab> slabs = new LinkedHashSet<>();
    private final List<Slab> toRelease = new ArrayList<>();
    private long nextNumber;
    private long slabBytes;
    private long bytesInUse;
    private long highWaterBytes;
    private long allocations;
    private boolean closed;

    /// @param regions receives the registrations of the slabs
    SlabPool(MemoryOptions options, SlabSource source, RegionTable regions) {
        this.options = options;
        this.source = source;
        this.regions = regions;
        this.idle = new IdleSlabs(options.idleBytes());
        this.waits = new MemoryWaits(options.waitAtLimit().toNanos());
    }

    /// Allocates a buffer, which the caller closes. May register a slab, which takes milliseconds, and waits at the
    /// limit up to [MemoryOptions#waitAtLimit()].
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if the pool is closed
    public RegisteredBuffer allocate(long bytes) {
        return allocate(bytes, true);
    }

    /// Like [#allocate], but never waits at the limit; for threads on which others depend.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException under the conditions of [#allocate]
    public RegisteredBuffer allocateNow(long bytes) {
        return allocate(bytes, false);
    }

    /// Like [#allocateNow], but returns null instead of registering a slab; for threads that must not block.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `FAILED_PRECONDITION` if the pool is closed
    public @Nullable RegisteredBuffer allocateIfThere(long bytes) {
        requirePositive(bytes);
        SlabBlock block = bytes > LARGEST_REQUEST ? null : take(SlabBlock.roundUp(bytes));
        return block == null ? null : new RegisteredBuffer(this, block, bytes);
    }

    private RegisteredBuffer allocate(long bytes, boolean mayWait) {
        requirePositive(bytes);
        if (bytes > Math.min(options.maximumBytes(), LARGEST_REQUEST)) {
            throw exhausted(bytes);
        }
        long size = SlabBlock.roundUp(bytes);
        SlabBlock block = takeOrGrow(size);
        if (block == null && mayWait) {
            block = waits.await(() -> takeOrGrow(size));
        }
        if (block == null) {
            throw exhausted(size);
        }
        return new RegisteredBuffer(this, block, bytes);
    }

    static void requirePositive(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes must have 1 or more");
        }
    }

    /// Returns null at the limit.
    private @Nullable SlabBlock takeOrGrow(long size) {
        SlabBlock block = take(size);
        if (block != null) {
            return block;
        }
        growth.lock();
        try {
            return grow(size);
        } finally {
            growth.unlock();
        }
    }

    void free(SlabBlock block) {
        Slab slab = block.slab();
        boolean close;
        boolean release = false;
        lock.lock();
        try {
            bytesInUse -= block.size();
            slab.addBytesOut(-block.size());
            close = slab.isUntouchable();
            if (!closed && slab.isDedicated()) {
                idle.give(slab, toRelease);
                release = !toRelease.isEmpty();
            } else if (!closed) {
                free.give(block);
            }
        } finally {
            lock.unlock();
        }
        waits.returned();
        if (close) {
            slab.free();
        }
        if (release) {
            // Releasing a slab takes milliseconds, and this thread may be unable to wait.
            Thread.ofPlatform().daemon().name("tensorferry-slab-release").start(this::releaseLater);
        }
    }

    /// Fails all waits at the limit, now and in the future.
    void endWaits() {
        waits.end();
    }

    /// Ends every registration, and frees every slab without allocated blocks; each other slab is freed when its last
    /// block is returned.
    void close() {
        waits.end();
        growth.lock();
        try {
            List<Slab> all;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                closed = true;
                all = List.copyOf(slabs);
                toRelease.clear();
                idle.takeAll();
                if (bytesInUse > 0) {
                    LOG.warn(
                            "registered memory is closed while {} bytes of it are in use; they are no longer registered, and are freed"
                                    + " when the last buffer or tensor on them is closed",
                            bytesInUse);
                }
            } finally {
                lock.unlock();
            }
            all.forEach(this::retire);
        } finally {
            growth.unlock();
        }
    }

    public MemoryStatistics statistics() {
        return statistics(0);
    }

    MemoryStatistics statistics(int userRegions) {
        lock.lock();
        try {
            return new MemoryStatistics(slabs.size(), slabBytes, bytesInUse, highWaterBytes, allocations, userRegions);
        } finally {
            lock.unlock();
        }
    }

    int freeBlockCount() {
        lock.lock();
        try {
            return free.blockCount();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable SlabBlock take(long size) {
        lock.lock();
        try {
            if (closed) {
                throw new TransportException(StatusCode.FAILED_PRECONDITION, "the registered memory is closed");
            }
            SlabBlock block = isLarge(size) ? takeIdle(size) : free.take(size);
            if (block != null) {
                count(block);
            }
            return block;
        } finally {
            lock.unlock();
        }
    }

    private boolean isLarge(long size) {
        return size > options.slabBytes();
    }

    private @Nullable SlabBlock takeIdle(long size) {
        Slab slab = idle.take(size);
        return slab == null ? null : new SlabBlock(slab);
    }

    private void count(SlabBlock block) {
        allocations++;
        bytesInUse += block.size();
        highWaterBytes = Math.max(highWaterBytes, bytesInUse);
        block.slab().addBytesOut(block.size());
    }

    /// Registers a slab, under `growth`; returns null at the limit.
    private @Nullable SlabBlock grow(long size) {
        releaseReturned();
        // Another thread may have grown the pool while this one waited for the lock. This also rejects calls on a
        // closed pool.
        SlabBlock block = take(size);
        if (block != null) {
            return block;
        }
        if (room() < size) {
            takeIdleSlabs().forEach(this::retire);
        }
        if (room() < size) {
            return null;
        }
        boolean dedicated = isLarge(size);
        long wanted = dedicated ? (size + SlabMemory.PAGE_BYTES - 1) & -SlabMemory.PAGE_BYTES : options.slabBytes();
        // Near the limit the slab takes the remaining room.
        var slab = new Slab(nextNumber++, open(Math.min(wanted, room())), dedicated);
        if (slab.region() != null) {
            regions.add(slab.region());
        }
        LOG.debug("registered a slab of {} bytes", slab.byteSize());
        return addSlab(slab, size);
    }

    /// Releases idle slabs before reporting that the system has no memory.
    private SlabStorage open(long bytes) {
        try {
            return source.open(bytes);
        } catch (TransportException e) {
            List<Slab> unused = e.code() == StatusCode.RESOURCE_EXHAUSTED ? takeIdleSlabs() : List.of();
            if (unused.isEmpty()) {
                throw e;
            }
            LOG.debug("no memory for a slab of {} bytes; {} idle slabs are freed", bytes, unused.size(), e);
            unused.forEach(this::retire);
            return source.open(bytes);
        }
    }

    /// Adds the slab and allocates its first block atomically, so that no other thread can use up the slab.
    private SlabBlock addSlab(Slab slab, long size) {
        lock.lock();
        try {
            slabs.add(slab);
            slabBytes += slab.byteSize();
            var block = new SlabBlock(slab);
            if (!slab.isDedicated() && block.size() > size) {
                free.add(block.split(size));
            }
            count(block);
            return block;
        } finally {
            lock.unlock();
        }
    }

    private void releaseLater() {
        growth.lock();
        try {
            releaseReturned();
        } finally {
            growth.unlock();
        }
    }

    private void releaseReturned() {
        List<Slab> returned;
        lock.lock();
        try {
            returned = List.copyOf(toRelease);
            toRelease.clear();
        } finally {
            lock.unlock();
        }
        returned.forEach(this::retire);
    }

    private List<Slab> takeIdleSlabs() {
        lock.lock();
        try {
            List<Slab> all = idle.takeAll();
            all.addAll(free.takeWholeSlabs());
            return all;
        } finally {
            lock.unlock();
        }
    }

    /// Deregisters a slab and, if it has no allocated block, frees it. Under `growth`.
    private void retire(Slab slab) {
        if (slab.region() != null) {
            regions.remove(slab.region());
        }
        if (!slab.deregister()) {
            return;
        }
        boolean close;
        lock.lock();
        try {
            slab.setDeregistered();
            slabs.remove(slab);
            slabBytes -= slab.byteSize();
            close = slab.isUntouchable();
        } finally {
            lock.unlock();
        }
        if (close) {
            slab.free();
        }
    }

    /// The bytes by which the slabs may grow. Under `growth`, without which `slabBytes` does not change.
    private long room() {
        return (options.maximumBytes() & -SlabBlock.ALIGNMENT) - slabBytes;
    }

    private TransportException exhausted(long bytes) {
        MemoryStatistics now = statistics();
        return new TransportException(
                StatusCode.RESOURCE_EXHAUSTED,
                "no registered memory for " + bytes + " bytes: " + now.bytesInUse() + " bytes are in use, "
                        + now.slabBytes() + " are registered, and the limit is " + options.maximumBytes()
                        + " (MemoryOptions.maximumBytes)");
    }
}
