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

/// All that the transport has of one accelerator: the queue of its copies, the proxies, and its memory.
///
/// It ends with the uses of the [RegisteredMemory] that it was opened on, before any registration of that does: the
/// ends of what it then still copies, and of those who wait for proxies, are given to the loop.
///
/// Threading: any thread, but for the proxies, which are the loop's.
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
    // Kept, so that they are not taken for dropped.
    private final Queue<Tensor> stranded = new ConcurrentLinkedQueue<>();

    /// Finds out whether the RDMA device reaches the accelerator's memory by itself, and starts the copies.
    ///
    /// @param device stays the caller's, who keeps it until `memory` is closed
    /// @param loop has the ends of copies told
    /// @param workers makes slabs
    /// @param runner does the copies; started and stopped by this
    /// @throws TransportException if the accelerator gives no streams; `FAILED_PRECONDITION` if the RDMA device is to
    ///     reach its memory by itself, and does not
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

    /// A thread for the copies of one accelerator.
    public static CopyRunner ownThread(Accelerator device) {
        return new CopyThread("tensorferry-copies-" + nameOf(device));
    }

    /// As keys name it, `GPU:0`.
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
        // Last: all else leaves nothing behind where this throws.
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

    /// Has a worker do `task`; where the transport is stopping and has none any more, `refused` is told why, here.
    void work(Runnable task, Consumer<TransportException> refused) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException _) {
            refused.accept(copies.stopping());
        }
    }

    /// A tensor that does not go by RDMA begins to be moved.
    void moveBegins() {
        moves.incrementAndGet();
    }

    /// It is moved, or is not to be.
    void moveEnds() {
        moves.decrementAndGet();
    }

    /// Whether something is copied or moved, or waits for it. It may be so no longer.
    boolean isBusy() {
        return moves.get() > 0 || copies.isBusy();
    }

    public CopyQueue copies() {
        return copies;
    }

    /// Why something went wrong: `cause`, or the failure of the accelerator, of which that follows then.
    public TransportException firstCause(TransportException cause) {
        TransportException broken = copies.broken();
        return broken == null ? cause : broken;
    }

    /// For contents whose memory a peer has named.
    public ProxyPool sendProxies() {
        return sendProxies;
    }

    /// For contents that a peer has ready.
    public ProxyPool receiveProxies() {
        return receiveProxies;
    }

    /// Tensors in its memory, from a pool. It may wait for the driver.
    public TensorAllocator allocator() {
        return allocator;
    }

    /// The same for threads that must not wait: where no slab has room it fails with `RESOURCE_EXHAUSTED`.
    public TensorAllocator allocatorNow() {
        return allocatorNow;
    }

    /// Whether what a NIC has written into its memory is to be waited for ([CopyQueue#whenWritten]).
    public boolean flushesNicWrites() {
        return flushes;
    }

    /// A tensor of it is sent or received without a copy.
    public void countDirect() {
        directTensors.increment();
    }

    /// A tensor of it is sent or received by way of proxies.
    public void countStaged() {
        stagedTensors.increment();
    }

    /// Whether, and how, the RDMA device reaches its memory by itself; then that of [#allocator()] is registered.
    public DirectAccess directAccess() {
        return direct.access();
    }

    /// Makes memory of it, which the user has, known to the RDMA device.
    ///
    /// @throws IllegalArgumentException if the bytes are not all of one allocation
    /// @throws TransportException `FAILED_PRECONDITION` with the reasons if the RDMA device does not reach it, or if
    ///     the registered memory is closed; otherwise what the accelerator or the RDMA device says
    public Registration register(long address, long bytes) {
        return memory.register(direct, address, bytes);
    }

    /// Nobody gets the memory of `tensor` again: a copy may write there for ever, as the accelerator has failed. Any
    /// thread.
    public void strand(Tensor tensor) {
        stranded.add(tensor);
    }

    /// Ends the waits for proxies, with `ABORTED`. On the loop.
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
