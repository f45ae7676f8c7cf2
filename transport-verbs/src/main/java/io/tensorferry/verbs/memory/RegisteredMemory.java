package io.tensorferry.verbs.memory;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.GpuDirect;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.statistics.MemoryStatistics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All memory registered with one protection domain: the pools of tensors and buffers, and users' registrations.
///
/// Ownership: the caller owns the domain and closes this object first. The queue pairs of the domain must be closed
/// earlier, so that no device writes to the memory. Threading: any thread. Only [#regionOf] and releasing memory never
/// block; other methods may register a slab, which takes milliseconds. At the limit, [#allocate] and [#allocator()]
/// wait up to [MemoryOptions#waitAtLimit()]; [#allocateNow] and [#allocatorNow()] never wait.
public final class RegisteredMemory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegisteredMemory.class);
    // Never started; memory that this thread can access is not confined to one thread.
    private static final Thread ANOTHER_THREAD =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private static final Set<AccessFlag> WRITTEN_BY_PEERS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    private static final Set<AccessFlag> READ_BY_PEERS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
    private static final Set<AccessFlag> WRITTEN_AND_READ_BY_PEERS =
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    /// With the smallest slab size, every larger buffer gets a dedicated slab.
    private static final MemoryOptions ALONE =
            new MemoryOptions(MemoryOptions.SMALLEST_SLAB_BYTES, MemoryOptions.UNLIMITED);

    private final GpuDirect gpuDirect;
    private final String deviceName;
    private final SlabMemory slabMemory;
    private final MemoryRegistrar registrar;
    private final MemoryRegistrar readableRegistrar;
    private final SlabSource hostSlabs;
    private final RegionTable regions = new RegionTable();
    /// Regions that peers may read, or get a memory window to.
    private final RegionTable readableRegions;
    private final SlabPool pool;
    /// Buffers whose rkeys peers keep for the buffers' lifetime.
    private final SlabPool peerPool;
    /// Tensors that peers read.
    private final SlabPool readablePool;
    /// The pools above, and those opened by [#openPool].
    private final Set<SlabPool> pools = new CopyOnWriteArraySet<>();
    private final TensorAllocator allocator = new PooledTensorAllocator(this::allocate);
    private final TensorAllocator allocatorNow = new PooledTensorAllocator(this::allocateNow);
    private final TensorAllocator readableAllocator = new PooledTensorAllocator(this::allocateReadable);
    private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();
    /// Actions to run before this memory ends, last added first.
    private final Deque<Runnable> endings = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /// Creates memory whose rkeys cover a whole slab or registration.
    public RegisteredMemory(ProtectionDomain domain, MemoryOptions options) {
        this(domain, options, RdmaConfig.builder().build(), -1, "the device");
    }

    /// @param config selects whether peers get the rkeys of slabs and registrations or of memory windows, the placement
    ///     of slabs, and direct access to accelerator memory
    /// @param deviceNode the NUMA node of the domain's device, -1 if unknown
    /// @param deviceName the device's name, for messages
    public RegisteredMemory(
            ProtectionDomain domain, MemoryOptions options, RdmaConfig config, int deviceNode, String deviceName) {
        this.gpuDirect = config.gpuDirect();
        this.deviceName = deviceName;
        SlabMemory memory = SlabMemory.of(domain, config.hugePages(), config.numaNode(), deviceNode);
        this.slabMemory = memory;
        RemoteKeyScope scope = config.rkeyScope();
        this.registrar = new MemoryRegistrar(
                domain,
                switch (scope) {
                    case SLAB -> WRITTEN_BY_PEERS;
                    case REQUEST -> EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
                });
        this.readableRegistrar = new MemoryRegistrar(domain, READ_BY_PEERS);
        this.hostSlabs = new HostSlabs(memory, registrar);
        this.pool = new SlabPool(options, hostSlabs, regions);
        this.peerPool = switch (scope) {
            case SLAB -> pool;
            case REQUEST ->
                new SlabPool(ALONE, new HostSlabs(memory, new MemoryRegistrar(domain, WRITTEN_BY_PEERS)), regions);
        };
        this.readableRegions = switch (scope) {
            case SLAB -> new RegionTable(regions);
            case REQUEST -> regions;
        };
        this.readablePool = switch (scope) {
            case SLAB ->
                new SlabPool(
                        options,
                        new HostSlabs(memory, new MemoryRegistrar(domain, WRITTEN_AND_READ_BY_PEERS)),
                        readableRegions);
            case REQUEST -> pool;
        };
        pools.add(pool);
        pools.add(peerPool);
        pools.add(readablePool);
    }

    /// Allocates tensors in the pool, aligned to 64 bytes. An empty tensor uses no memory.
    public TensorAllocator allocator() {
        return allocator;
    }

    /// Allocates a buffer from the pool; the caller closes it.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if this is closed
    public RegisteredBuffer allocate(long bytes) {
        return pool.allocate(bytes);
    }

    /// Like [#allocate], but never waits at the limit; for threads on which others depend.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if this is closed
    public RegisteredBuffer allocateNow(long bytes) {
        return pool.allocateNow(bytes);
    }

    /// Like [#allocator()], but never waits at the limit.
    public TensorAllocator allocatorNow() {
        return allocatorNow;
    }

    /// Like [#allocator()], for tensors that peers may read. If peers get the rkeys of slabs, these tensors use
    /// separate slabs, to which [MemoryOptions#maximumBytes()] applies separately.
    public TensorAllocator readableAllocator() {
        return readableAllocator;
    }

    /// Allocates a buffer that peers may read; the caller closes it.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException under the conditions of [#allocate]
    public RegisteredBuffer allocateReadable(long bytes) {
        return readablePool.allocate(bytes);
    }

    /// Like [#allocateNow], but returns null instead of registering a slab; for threads that must not block.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `FAILED_PRECONDITION` if this is closed
    public @Nullable RegisteredBuffer allocateIfThere(long bytes) {
        return pool.allocateIfThere(bytes);
    }

    /// Registers the first slab if there is none, so that a failure to pin memory is reported now and not with the
    /// first tensor.
    ///
    /// @throws TransportException under the conditions of [#allocateNow]
    public void prepare() {
        allocateNow(1).close();
    }

    /// Fails all waits at the limit, now and in the future, because the users of this memory are about to end.
    public void endWaits() {
        pools.forEach(SlabPool::endWaits);
    }

    /// Allocates a buffer whose rkey a peer keeps, such as a message ring. If peers do not get the rkeys of slabs, the
    /// buffer has a separate registration, and does not count towards the limit.
    ///
    /// @param bytes more than 4,096
    public RegisteredBuffer allocateForPeer(long bytes) {
        if (bytes <= MemoryOptions.SMALLEST_SLAB_BYTES) {
            throw new IllegalArgumentException("a buffer for a peer of " + bytes + " bytes would share its slab");
        }
        return peerPool.allocate(bytes);
    }

    /// Registers a user's memory with the device, so that tensors in it are sent without a copy. Registrations may
    /// overlap.
    ///
    /// @param memory off-heap, not empty, accessible from every thread, alive until the registration is closed. Peers
    ///     may write it unless it is read-only
    /// @throws IllegalArgumentException if the memory is empty, on the heap, or confined to a thread
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the memory cannot be pinned, `INTERNAL` if the device rejects
    ///     it for another reason, `FAILED_PRECONDITION` if this is closed
    public Registration register(MemorySegment memory) {
        return register(memory, registrar, true);
    }

    /// Determines whether the device can access an accelerator's memory directly, by a trial registration, unless the
    /// settings disable direct access.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if it cannot and the settings require it
    public DirectMemory directMemory(Accelerator accelerator) {
        DirectAccess found = gpuDirect == GpuDirect.OFF
                ? new DirectAccess.Refused(List.of("RDMA_GPU_DIRECT is off"))
                : registrar.tryOut(accelerator);
        String what = accelerator + " (" + accelerator.description() + ")";
        switch (found) {
            case DirectAccess.Refused(var reasons) -> {
                String why = String.join("; ", reasons);
                if (gpuDirect == GpuDirect.ON) {
                    throw new TransportException(
                            StatusCode.FAILED_PRECONDITION,
                            "RDMA_GPU_DIRECT is on, but " + deviceName + " cannot access the memory of " + what + ": "
                                    + why);
                }
                LOG.info(
                        "{} cannot access the memory of {} directly; tensors are copied through host memory: {}",
                        deviceName,
                        what,
                        why);
            }
            case DirectAccess.ToSendByDmabuf way ->
                LOG.warn(
                        "{} accesses the memory of {} {}; results are copied through host memory",
                        deviceName,
                        what,
                        way);
            case DirectAccess.ByDmabuf way -> LOG.info("{} accesses the memory of {} {}", deviceName, what, way);
            case DirectAccess.ByAddress way -> LOG.info("{} accesses the memory of {} {}", deviceName, what, way);
        }
        return new DirectMemory(accelerator, found, registrar);
    }

    /// Registers a user's accelerator memory with the device, so that tensors in it are sent and received without a
    /// copy.
    ///
    /// @param bytes length of the memory at `address`, which the user keeps until the registration is closed
    /// @throws IllegalArgumentException if the bytes span several allocations
    /// @throws TransportException under the conditions of [DirectMemory#register]; `FAILED_PRECONDITION` also if this
    ///     is closed
    public Registration register(DirectMemory memory, long address, long bytes) {
        if (address < 1 || bytes < 1 || address > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("%d bytes at %#x cannot be registered".formatted(bytes, address));
        }
        if (closed) {
            throw closedException();
        }
        return registered(null, memory.register(address, bytes), true);
    }

    /// Allocates memory with the placement and pages of slabs, for the caller to register. It is not part of the pool,
    /// and does not count towards its limit.
    ///
    /// @param arena a shared arena; frees the memory when it is closed
    /// @return zeroed, page-aligned memory
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is none
    public MemorySegment allocateOutsidePool(Arena arena, long bytes) {
        SlabPool.requirePositive(bytes);
        return slabMemory.allocate(arena, bytes);
    }

    /// Registers a user's memory for reads by peers that are given its rkey, for as long as the registration is open.
    /// [#regionOf] does not find it, and peers cannot write it.
    ///
    /// @param memory under the conditions of [#register]
    /// @throws IllegalArgumentException under the conditions of [#register]
    /// @throws TransportException under the conditions of [#register]
    public Registration registerReadable(MemorySegment memory) {
        return register(memory, readableRegistrar, false);
    }

    /// @param isFound whether [#regionOf] finds the registration
    private Registration register(MemorySegment memory, MemoryRegistrar how, boolean isFound) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException(
                    "only off-heap memory of at least one byte can be registered, not " + memory);
        }
        if (!memory.isAccessibleBy(ANOTHER_THREAD)) {
            throw new IllegalArgumentException(
                    "only memory that every thread can access can be registered, and this is confined to one");
        }
        if (closed) {
            throw closedException();
        }
        return registered(memory, how.register(memory), isFound);
    }

    private Registration registered(@Nullable MemorySegment memory, MemoryRegion region, boolean isFound) {
        var registration = new Registration(memory, region, this::forget);
        if (isFound) {
            regions.add(registration.region());
        }
        registrations.add(registration);
        if (closed) {
            // This object was closed during the registration, perhaps after it last read the set.
            registration.close();
            throw closedException();
        }
        return registration;
    }

    /// Returns the region that contains all of `[address, address + length)`, or null if there is none. Allocates
    /// nothing and takes no lock.
    public @Nullable MemoryRegion regionOf(long address, long length) {
        return regions.find(address, length);
    }

    /// Like [#regionOf], for regions that peers may read.
    public @Nullable MemoryRegion readableRegionOf(long address, long length) {
        return readableRegions.find(address, length);
    }

    /// The source of slabs for [#allocate], for a pool whose slabs are also registered with other devices.
    public SlabSource hostSlabs() {
        return hostSlabs;
    }

    /// Opens another pool with a separate limit. [#statistics()] excludes it; [#regionOf] finds its registered slabs.
    /// [#close()] closes it together with this memory.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if this is closed
    public SlabPool openPool(SlabSource source, MemoryOptions options) {
        var opened = new SlabPool(options, source, regions);
        pools.add(opened);
        if (closed) {
            // This object may have closed its pools before this one was added.
            opened.close();
            throw closedException();
        }
        return opened;
    }

    /// Adds an action that [#endUses()] or [#close()] runs to stop the remaining users of the memory, last added first.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if this is closed; `action` does not run then
    public void beforeClose(Runnable action) {
        endings.push(action);
        if (closed && endings.remove(action)) {
            throw closedException();
        }
    }

    public MemoryStatistics statistics() {
        MemoryStatistics all = pool.statistics(registrations.size());
        return readablePool == pool ? all : all.with(readablePool.statistics(0));
    }

    /// Stops the users of the memory other than queue pairs, all of which must be closed. Later calls have no effect.
    public void endUses() {
        for (Runnable ending = endings.poll(); ending != null; ending = endings.poll()) {
            try {
                ending.run();
            } catch (RuntimeException e) {
                LOG.error("an action before the end of registered memory failed", e);
            }
        }
    }

    /// Calls [#endUses()], then ends every registration. All queue pairs of the domain must be closed, so that no
    /// device uses the memory.
    ///
    /// Slabs without allocated blocks are freed at once. If buffers or tensors are still open, a log message reports
    /// their bytes. They stay usable, because a thread may be reading them or a system call may hold their address;
    /// their slab is freed when the last of them is closed. Later calls have no effect; a concurrent call returns when
    /// the first has finished.
    @Override
    public synchronized void close() {
        closed = true;
        endUses();
        List<Registration> open = List.copyOf(registrations);
        if (!open.isEmpty()) {
            LOG.warn(
                    "registered memory is closed with {} registrations of user memory still open; they end now",
                    open.size());
            open.forEach(Registration::close);
        }
        pools.forEach(SlabPool::close);
    }

    int freeBlockCount() {
        return pool.freeBlockCount();
    }

    private void forget(Registration registration) {
        regions.remove(registration.region());
        registrations.remove(registration);
    }

    private static TransportException closedException() {
        return new TransportException(StatusCode.FAILED_PRECONDITION, "the registered memory is closed");
    }
}
