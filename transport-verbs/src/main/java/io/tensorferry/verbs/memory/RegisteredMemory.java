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

/// All memory that is registered with one protection domain: the pool that tensors and buffers come from, and what
/// users registered themselves.
///
/// Ownership: the caller keeps the domain, and closes this before it. Queue pairs of the domain are closed earlier
/// still: after that no device writes here. Threading: any thread. Only [#regionOf] and giving memory back never
/// wait; the others may register a slab, which takes milliseconds. At the limit [#allocate] and [#allocator()] wait as
/// long as [MemoryOptions#waitAtLimit()] says, [#allocateNow] and [#allocatorNow()] never.
public final class RegisteredMemory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegisteredMemory.class);
    // Never started: memory that is accessible by it is not confined to any thread.
    private static final Thread ANOTHER_THREAD =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private static final Set<AccessFlag> WRITTEN_BY_PEERS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    private static final Set<AccessFlag> READ_BY_PEERS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
    private static final Set<AccessFlag> WRITTEN_AND_READ_BY_PEERS =
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    /// With the smallest slabs every larger buffer gets one of its own.
    private static final MemoryOptions ALONE =
            new MemoryOptions(MemoryOptions.SMALLEST_SLAB_BYTES, MemoryOptions.UNLIMITED);

    private final GpuDirect gpuDirect;
    private final String deviceName;
    private final SlabMemory slabMemory;
    private final MemoryRegistrar registrar;
    private final MemoryRegistrar readableRegistrar;
    private final SlabSource hostSlabs;
    private final RegionTable regions = new RegionTable();
    /// Those that peers may read, or be given a window to.
    private final RegionTable readableRegions;
    private final SlabPool pool;
    /// Where buffers come from whose keys peers keep as long as they are there.
    private final SlabPool peerPool;
    /// Where tensors come from that peers read.
    private final SlabPool readablePool;
    /// These, and those that others have opened.
    private final Set<SlabPool> pools = new CopyOnWriteArraySet<>();
    private final TensorAllocator allocator = new PooledTensorAllocator(this::allocate);
    private final TensorAllocator allocatorNow = new PooledTensorAllocator(this::allocateNow);
    private final TensorAllocator readableAllocator = new PooledTensorAllocator(this::allocateReadable);
    private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();
    /// What is to be done before all this ends, the last first.
    private final Deque<Runnable> endings = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /// Memory whose keys open a whole slab or registration.
    public RegisteredMemory(ProtectionDomain domain, MemoryOptions options) {
        this(domain, options, RdmaConfig.builder().build(), -1, "the device");
    }

    /// @param config says whether peers get the keys of slabs and registrations, or of windows that are bound to them,
    ///     where slabs lie, and whether the device is to reach accelerators' memory by itself
    /// @param deviceNode the NUMA node of the domain's device, -1 where it is not known
    /// @param deviceName its name, for people
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

    /// Makes tensors in the pool, aligned to 64 bytes. A tensor of 0 bytes takes no memory.
    public TensorAllocator allocator() {
        return allocator;
    }

    /// Registered bytes from the pool; the caller closes the buffer.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if this is closed
    public RegisteredBuffer allocate(long bytes) {
        return pool.allocate(bytes);
    }

    /// The same without ever waiting at the limit: for threads that others wait for.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the limit is reached or the system has no memory to pin,
    ///     `FAILED_PRECONDITION` if this is closed
    public RegisteredBuffer allocateNow(long bytes) {
        return pool.allocateNow(bytes);
    }

    /// Makes tensors as [#allocator()] does, without ever waiting at the limit.
    public TensorAllocator allocatorNow() {
        return allocatorNow;
    }

    /// Makes tensors as [#allocator()] does, which peers can be let read. Where peers get keys of slabs, these have
    /// slabs of their own, which [MemoryOptions#maximumBytes()] limits for themselves.
    public TensorAllocator readableAllocator() {
        return readableAllocator;
    }

    /// The same without a tensor.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException as [#allocate] does
    public RegisteredBuffer allocateReadable(long bytes) {
        return readablePool.allocate(bytes);
    }

    /// The same as [#allocateNow] where that takes no registration; otherwise null. For threads that must not take
    /// long.
    ///
    /// @param bytes 1 or more
    /// @throws TransportException `FAILED_PRECONDITION` if this is closed
    public @Nullable RegisteredBuffer allocateIfThere(long bytes) {
        return pool.allocateIfThere(bytes);
    }

    /// Registers the first slab, unless there is one: memory that cannot be pinned is noticed now and not with the
    /// first tensor.
    ///
    /// @throws TransportException as [#allocateNow] does
    public void prepare() {
        allocateNow(1).close();
    }

    /// From now on nobody waits at the limit, and who waits fails: those who use this memory are about to end.
    public void endWaits() {
        pools.forEach(SlabPool::endWaits);
    }

    /// The same for a buffer whose own key a peer keeps, such as a message ring. Where peers get no keys of slabs, it
    /// has a registration of its own, and does not count for the limit.
    ///
    /// @param bytes more than 4,096
    public RegisteredBuffer allocateForPeer(long bytes) {
        if (bytes <= MemoryOptions.SMALLEST_SLAB_BYTES) {
            throw new IllegalArgumentException("a buffer for a peer of " + bytes + " bytes would share its slab");
        }
        return peerPool.allocate(bytes);
    }

    /// Makes memory of the user known to the device, so that tensors on it are sent without a copy. Registrations
    /// may overlap.
    ///
    /// @param memory off-heap, not empty, accessible from every thread; alive until the registration is closed.
    ///     Peers may write it unless it is read-only
    /// @throws IllegalArgumentException if the memory is empty, on the heap, or confined to a thread
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the memory cannot be pinned, `INTERNAL` if the device
    ///     refuses for another reason, `FAILED_PRECONDITION` if this is closed
    public Registration register(MemorySegment memory) {
        return register(memory, registrar, true);
    }

    /// Finds out whether the device reaches an accelerator's memory by itself, unless the settings say that it is not
    /// to. It registers a piece of that memory.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if it does not, and the settings want it to
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
                            "RDMA_GPU_DIRECT is on, but " + deviceName + " does not reach the memory of " + what + ": "
                                    + why);
                }
                LOG.info(
                        "{} does not reach the memory of {} by itself, tensors go through host memory: {}",
                        deviceName,
                        what,
                        why);
            }
            case DirectAccess.ToSendByDmabuf way ->
                LOG.warn("{} reaches the memory of {} {}; results come by way of host memory", deviceName, what, way);
            case DirectAccess.ByDmabuf way -> LOG.info("{} reaches the memory of {} {}", deviceName, what, way);
            case DirectAccess.ByAddress way -> LOG.info("{} reaches the memory of {} {}", deviceName, what, way);
        }
        return new DirectMemory(accelerator, found, registrar);
    }

    /// Makes an accelerator's memory, which the user has, known to the device, so that tensors on it are sent and
    /// received without a copy.
    ///
    /// @param bytes from `address` on; the user keeps them until the registration is closed
    /// @throws IllegalArgumentException if the bytes are not all of one allocation
    /// @throws TransportException as [DirectMemory#register] does; `FAILED_PRECONDITION` if this is closed, too
    public Registration register(DirectMemory memory, long address, long bytes) {
        if (address < 1 || bytes < 1 || address > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("%d bytes at %#x cannot be registered".formatted(bytes, address));
        }
        if (closed) {
            throw closedException();
        }
        return registered(null, memory.register(address, bytes), true);
    }

    /// Memory that lies where slabs do, and in pages like theirs, to be registered by whoever wants it. It is not
    /// of the pool, and does not count for its limit.
    ///
    /// @param arena shared; gives it back when it is closed
    /// @return zeroed memory that begins at a page
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is none
    public MemorySegment allocateOutsidePool(Arena arena, long bytes) {
        SlabPool.requirePositive(bytes);
        return slabMemory.allocate(arena, bytes);
    }

    /// Lets peers read memory of the user as long as the registration is open, each that is told its key. [#regionOf]
    /// does not find it, nor can peers write it.
    ///
    /// @param memory as [#register] takes it
    /// @throws IllegalArgumentException as [#register] does
    /// @throws TransportException as [#register] does
    public Registration registerReadable(MemorySegment memory) {
        return register(memory, readableRegistrar, false);
    }

    /// @param isFound by [#regionOf]
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
            // Closed while it was being made, perhaps after the last look at the set.
            registration.close();
            throw closedException();
        }
        return registration;
    }

    /// The registration that holds all of `[address, address + length)`, or null where none does. Allocates nothing
    /// and takes no lock.
    public @Nullable MemoryRegion regionOf(long address, long length) {
        return regions.find(address, length);
    }

    /// The same, where a peer can be let read it.
    public @Nullable MemoryRegion readableRegionOf(long address, long length) {
        return readableRegions.find(address, length);
    }

    /// Slabs like those that [#allocate] gives out of: for a pool whose slabs other devices are to know too.
    public SlabSource hostSlabs() {
        return hostSlabs;
    }

    /// Opens a pool beside the others, with a limit of its own. [#statistics()] does not count it; [#regionOf]
    /// finds what is registered of it. It ends with this memory, as [#close()] says.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if this is closed
    public SlabPool openPool(SlabSource source, MemoryOptions options) {
        var opened = new SlabPool(options, source, regions);
        pools.add(opened);
        if (closed) {
            // Perhaps after the last look at the pools.
            opened.close();
            throw closedException();
        }
        return opened;
    }

    /// Has `action` run by [#endUses()], or when this is closed: it stops what still works on the memory. What was
    /// given last runs first.
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

    /// Ends what works on the memory beside the device's queue pairs, of which none is open any more. The second and
    /// later calls do nothing.
    public void endUses() {
        for (Runnable ending = endings.poll(); ending != null; ending = endings.poll()) {
            try {
                ending.run();
            } catch (RuntimeException e) {
                LOG.error("what was to be done before registered memory ends could not be done", e);
            }
        }
    }

    /// [#endUses()]; then ends every registration. No queue pair of the domain may be open
    /// any more, so that no device uses the memory.
    ///
    /// Slabs that nothing is out of are freed at once. Where buffers or tensors are still out, that is logged with
    /// their bytes, and they stay usable: their slab is freed when the last of them is closed, because somebody may
    /// be reading it or have its address in a system call. The second and later calls do nothing; one at the same time
    /// returns when the first has done all this.
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
