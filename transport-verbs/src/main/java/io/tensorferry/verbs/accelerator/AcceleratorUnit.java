package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.memory.DirectAccess;
import io.tensorferry.verbs.memory.DirectMemory;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.Registration;
import io.tensorferry.verbs.memory.SlabPool;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// The transport's state for one accelerator: its copy queue, its proxies, and its memory pool.
///
/// It ends in [RegisteredMemory#endUses()], before any memory is deregistered. The loop then receives the completions
/// of pending copies and the failures of pending waits for proxies.
///
/// Threading: any thread, except for the proxies, which the loop owns.
public final class AcceleratorUnit {
    private final Accelerator device;
    private final AcceleratorOptions options;
    private final Executor loop;
    private final Executor workers;
    private final CopyQueue copies;
    private final ProxyPool sendProxies;
    private final ProxyPool receiveProxies;
    private final RegisteredMemory memory;
    private final DirectMemory direct;
    private final SlabPool deviceMemory;
    private final TensorAllocator allocator;
    private final TensorAllocator allocatorNow;
    private final boolean flushes;
    private final LongAdder directTensors = new LongAdder();
    private final LongAdder stagedTensors = new LongAdder();
    private final AtomicInteger moves = new AtomicInteger();
    // References keep these tensors from being reported as leaked.
    private final Queue<Tensor> stranded = new ConcurrentLinkedQueue<>();

    /// Determines whether the RDMA device can access the accelerator's memory directly, and starts the copy queue.
    ///
    /// @param device owned by the caller, who keeps it open until `memory` is closed
    /// @param loop runs the completion callbacks of copies
    /// @param workers allocates slabs
    /// @param runner runs the copies; started and stopped by this object
    /// @throws TransportException if the accelerator cannot create streams; `FAILED_PRECONDITION` if direct access is
    ///     required but not available
    public static AcceleratorUnit open(
            Accelerator device,
            RegisteredMemory memory,
            AcceleratorOptions options,
            Executor loop,
            Executor workers,
            CopyRunner runner) {
        var unit = new AcceleratorUnit(device, memory, options, loop, workers, runner);
        runner.start(unit.copies);
        try {
            memory.beforeClose(() -> {
                loop.execute(unit::endWaits);
                runner.stop();
            });
        } catch (RuntimeException | Error e) {
            runner.stop();
            throw e;
        }
        return unit;
    }

    /// Creates a runner with a dedicated thread for the copies of one accelerator.
    public static CopyRunner ownThread(Accelerator device) {
        return new CopyThread("tensorferry-copies-" + nameOf(device));
    }

    /// The accelerator's name in rendezvous keys, for example `GPU:0`.
    static String nameOf(Accelerator device) {
        return device.type() + ":" + device.index();
    }

    private AcceleratorUnit(
            Accelerator device,
            RegisteredMemory memory,
            AcceleratorOptions options,
            Executor loop,
            Executor workers,
            CopyRunner runner) {
        this.device = device;
        this.options = options;
        this.loop = loop;
        this.workers = workers;
        this.memory = memory;
        this.direct = memory.directMemory(device);
        var pinned = new PinnedSlabs(memory.hostSlabs(), device);
        this.sendProxies =
                new ProxyPool(memory.openPool(pinned, options.shareMemory()), loop, workers, options.shareBytes());
        this.receiveProxies =
                new ProxyPool(memory.openPool(pinned, options.shareMemory()), loop, workers, options.shareBytes());
        this.deviceMemory = memory.openPool(new AcceleratorSlabs(device, direct), options.deviceMemory());
        this.allocator = new DeviceTensorAllocator(device, deviceMemory, true);
        this.allocatorNow = new DeviceTensorAllocator(device, deviceMemory, false);
        this.flushes = device.nicWrites() == NicWrites.AFTER_FLUSH;
        // Created last: if this throws, the earlier steps have left nothing to clean up.
        this.copies = new CopyQueue(device, loop, runner);
    }

    public Accelerator device() {
        return device;
    }

    public AcceleratorOptions options() {
        return options;
    }

    Executor loop() {
        return loop;
    }

    /// Runs `task` on a worker. If the transport is stopping and has no workers, calls `refused` with the cause on this
    /// thread.
    void work(Runnable task, Consumer<TransportException> refused) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException _) {
            refused.accept(copies.stopping());
        }
    }

    /// Counts the start of a move of a tensor that does not travel by RDMA.
    void moveBegins() {
        moves.incrementAndGet();
    }

    /// Counts the end of a move, completed or not.
    void moveEnds() {
        moves.decrementAndGet();
    }

    /// Whether a copy or move is pending. The result may be outdated when it is returned.
    boolean isBusy() {
        return moves.get() > 0 || copies.isBusy();
    }

    public CopyQueue copies() {
        return copies;
    }

    /// Returns the accelerator's failure if it has failed, because `cause` then follows from it; otherwise `cause`.
    public TransportException firstCause(TransportException cause) {
        TransportException broken = copies.broken();
        return broken == null ? cause : broken;
    }

    /// The proxies for sending contents to memory that a peer has named.
    public ProxyPool sendProxies() {
        return sendProxies;
    }

    /// The proxies for receiving contents that a peer has ready.
    public ProxyPool receiveProxies() {
        return receiveProxies;
    }

    /// The allocator of pooled tensors in accelerator memory. May wait for the driver.
    public TensorAllocator allocator() {
        return allocator;
    }

    /// Like [#allocator()], for threads that must not wait: fails with `RESOURCE_EXHAUSTED` if no slab has room.
    public TensorAllocator allocatorNow() {
        return allocatorNow;
    }

    /// Whether a NIC's writes to accelerator memory require a flush ([CopyQueue#whenWritten]).
    public boolean flushesNicWrites() {
        return flushes;
    }

    /// Counts a tensor that is sent or received without a copy.
    public void countDirect() {
        directTensors.increment();
    }

    /// Counts a tensor that is staged through proxies.
    public void countStaged() {
        stagedTensors.increment();
    }

    /// Whether and how the RDMA device accesses the accelerator's memory directly. With direct access, the memory of
    /// [#allocator()] is registered.
    public DirectAccess directAccess() {
        return direct.access();
    }

    /// Registers a user's accelerator memory with the RDMA device.
    ///
    /// @throws IllegalArgumentException if the bytes span several allocations
    /// @throws TransportException `FAILED_PRECONDITION` with the reasons if there is no direct access, or if the
    ///     registered memory is closed; otherwise the error of the accelerator or the RDMA device
    public Registration register(long address, long bytes) {
        return memory.register(direct, address, bytes);
    }

    /// Leaks the memory of `tensor`, because a copy of the failed accelerator may write to it at any time. Threading:
    /// any thread.
    public void strand(Tensor tensor) {
        stranded.add(tensor);
    }

    /// Fails the waits for proxies with `ABORTED`. On the loop.
    private void endWaits() {
        TransportException cause = copies.stopping();
        sendProxies.close(cause);
        receiveProxies.close(cause);
    }

    public AcceleratorStatistics statistics() {
        return new AcceleratorStatistics(
                nameOf(device),
                copies.bytesToHost(),
                copies.bytesFromHost(),
                sendProxies.bytesInUse(),
                receiveProxies.bytesInUse(),
                sendProxies.highWaterBytes() + receiveProxies.highWaterBytes(),
                sendProxies.waits() + receiveProxies.waits(),
                sendProxies.strandedBytes() + receiveProxies.strandedBytes(),
                deviceMemory.statistics().bytesInUse(),
                directTensors.sum(),
                stagedTensors.sum(),
                direct.access().toString());
    }
}
