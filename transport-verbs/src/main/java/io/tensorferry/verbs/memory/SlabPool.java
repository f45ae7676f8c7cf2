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

/// Gives out pieces of registered slabs, and registers more slabs as needed. [RegisteredMemory] opens it and ends
/// it.
///
/// A slab is kept once it is registered, but for two: of the slabs of requests larger than `slabBytes` only some
/// wait for another such request when their piece has come back ([IdleSlabs]), and slabs that nothing is out of are
/// released where the limit would otherwise refuse a request.
///
/// Threading: any thread; giving memory back never waits. `lock` guards the state and is held for a few tree
/// operations. `growth` is held by the one thread that registers or releases slabs, which is slow; it is taken
/// before `lock`, never after.
public final class SlabPool {
    private static final Logger LOG = LoggerFactory.getLogger(SlabPool.class);
    /// Far over any address space, so that rounding up cannot overflow.
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

    /// @param regions where the registrations of its slabs are found
    SlabPool(MemoryOptions options, SlabSource source, RegionTable regions) {
        this.options = options;
        this.source = source;
        this.regions = regions;
        this.idle = new IdleSlabs(options.idleBytes());
        this.waits = new MemoryWaits(options.waitAtLimit().toNanos());
    }

    /// Bytes for the caller, who closes the buffer. May register a slab, which takes milliseconds, and waits at the
    /// limit as long as the options say.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if the pool is closed
    public RegisteredBuffer allocate(long bytes) {
        return allocate(bytes, true);
    }

    /// The same without ever waiting at the limit: for threads that others wait for.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException as [#allocate] does
    public RegisteredBuffer allocateNow(long bytes) {
        return allocate(bytes, false);
    }

    /// The same where a slab that is there has room for it; otherwise null. For threads that must not take long.
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
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes was asked for; it takes at least 1");
        }
    }

    /// Null at the limit.
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
            // Releasing takes milliseconds, and this thread may be one that must not wait.
            Thread.ofPlatform().daemon().name("tensorferry-slab-release").start(this::releaseLater);
        }
    }

    /// From now on no allocation waits, and those that do fail.
    void endWaits() {
        waits.end();
    }

    /// Ends every registration, and frees every slab that no piece is out of; the others are freed when their last
    /// piece comes back.
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

    /// Under `growth`. Null at the limit.
    private @Nullable SlabBlock grow(long size) {
        releaseReturned();
        // Another thread may have grown the pool while this one waited for the lock; a closed pool is refused here as
        // well.
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
        // Near the limit a slab is as large as may be.
        var slab = new Slab(nextNumber++, open(Math.min(wanted, room())), dedicated);
        if (slab.region() != null) {
            regions.add(slab.region());
        }
        LOG.debug("registered a slab of {} bytes", slab.byteSize());
        return addSlab(slab, size);
    }

    /// What waits for another request goes before the system refuses one.
    private SlabStorage open(long bytes) {
        try {
            return source.open(bytes);
        } catch (TransportException e) {
            List<Slab> unused = e.code() == StatusCode.RESOURCE_EXHAUSTED ? takeIdleSlabs() : List.of();
            if (unused.isEmpty()) {
                throw e;
            }
            LOG.debug("no memory for a slab of {} bytes beside {} that are idle, which go", bytes, unused.size(), e);
            unused.forEach(this::retire);
            return source.open(bytes);
        }
    }

    /// Adds the slab and takes its first piece in one go, so that no other thread can take it all.
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

    /// Under `growth`: ends a slab's registration and, where no piece of it is out, frees it.
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

    /// Bytes by which the slabs may grow. Under `growth`, without which `slabBytes` does not change.
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
