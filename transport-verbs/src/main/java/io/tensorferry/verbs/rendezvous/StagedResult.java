package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A result in memory of an accelerator, which the sender's device does not reach: the sender writes into a proxy, and
/// all of it is copied from there when it has landed. A result of no bytes needs neither. One that is larger than a
/// piece comes so only where its sender serves no pieces; else it is a [PieceReceiver].
///
/// It is made for a content that the peer has ready, and no longer kept than it takes the peer to write it: others wait
/// for the proxy.
///
/// Owner: the thread that makes it, then the loop.
final class StagedResult implements Destination {
    private final AcceleratorUnit unit;
    private final Tensor tensor;
    private @Nullable Proxy proxy;
    private @Nullable NamedMemory named;
    // A content that came in the ring for memory that it could not be put into.
    private @Nullable MemorySegment carried;

    private StagedResult(AcceleratorUnit unit, Tensor tensor) {
        this.unit = unit;
        this.tensor = tensor;
    }

    /// Whether results of this kind have memory on an accelerator: strings are in host memory.
    static boolean isFor(TensorMetaData metaData) {
        return !metaData.dead() && metaData.dataType().isDmaAble();
    }

    /// One that [#needsProxy()]. It may wait for the driver.
    ///
    /// @param options say whose memory it is to be
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, or no proxy is ever so large; what has
    ///     broken the accelerator; what [ResultAllocator] throws
    static StagedResult allocate(TensorMetaData metaData, ReceiveOptions options, AcceleratorUnit unit) {
        requireWorking(unit);
        requireProxies(unit, metaData.byteSize());
        return new StagedResult(unit, allocateTensor(metaData, options, unit));
    }

    /// The memory of a result alone.
    ///
    /// @throws TransportException as [#allocate], but for proxies
    static Tensor allocateTensor(TensorMetaData metaData, ReceiveOptions options, AcceleratorUnit unit) {
        requireWorking(unit);
        return ResultAllocator.of(options, unit.allocator()).allocate(metaData.dataType(), metaData.shape());
    }

    private static void requireProxies(AcceleratorUnit unit, long bytes) {
        long most = unit.options().shareBytes();
        if (bytes > most) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + bytes + " bytes for " + unit.device() + " is larger than the " + most
                            + " bytes of proxies for what is received, half of proxyBytes ("
                            + unit.options().proxyBytes() + "), and its sender serves no pieces");
        }
    }

    /// One with a tensor that is there.
    ///
    /// @param tensor is taken, unless this throws
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no proxy is ever so large
    static StagedResult of(AcceleratorUnit unit, Tensor tensor) {
        requireProxies(unit, tensor.byteSize());
        return new StagedResult(unit, tensor);
    }

    /// One that [#needsProxy()] for a content which is there.
    ///
    /// @param content all of it; small, for it came in the ring
    static StagedResult ofCarried(AcceleratorUnit unit, Tensor tensor, MemorySegment content) {
        var result = new StagedResult(unit, tensor);
        result.carried = content;
        return result;
    }

    /// @throws TransportException what has broken the accelerator, if something has
    static void requireWorking(AcceleratorUnit unit) {
        TransportException cause = unit.copies().broken();
        if (cause != null) {
            throw cause;
        }
    }

    /// Whether the sender cannot be told yet where to write.
    boolean needsProxy() {
        return proxy == null && tensor.byteSize() > 0;
    }

    /// Asks for a proxy, which `waiter` gives to this.
    ///
    /// @param peer that writes into it
    void acquireProxy(String peer, ProxyWaiter waiter) {
        unit.receiveProxies().acquire(tensor.byteSize(), peer, waiter);
    }

    /// `waiter` does not wait any more.
    void cancelProxy(ProxyWaiter waiter) {
        unit.receiveProxies().cancel(waiter);
    }

    void take(Proxy given) {
        proxy = given;
        named = new NamedMemory(given.region(), given.address(), given.byteSize());
        MemorySegment content = carried;
        if (content != null) {
            given.segment().copyFrom(content);
            carried = null;
        }
    }

    Tensor tensor() {
        return tensor;
    }

    /// What is handed to the user who gets the tensor.
    RecvResult.Received result() {
        return new RecvResult.Received(tensor);
    }

    /// Whether there is a content to be copied.
    boolean isStaged() {
        return proxy != null || carried != null;
    }

    /// It is delivered.
    void count() {
        unit.countStaged();
    }

    /// Copies what has landed into the tensor. Any thread.
    void copy(CopyTask task) {
        unit.copies().fromHost(content(), tensor.address(), task);
    }

    /// The content is copied.
    void giveProxyBack() {
        if (proxy != null) {
            proxy.close();
        }
    }

    /// Closes the tensor, which may wait for the driver: with memory of the user's allocator, or with an event.
    void release() {
        unit.copies().release(tensor);
    }

    /// The accelerator may copy for ever: nobody gets either end again.
    void strandCopy() {
        if (proxy != null) {
            proxy.strand();
        }
        unit.strand(tensor);
    }

    @Override
    public @Nullable NamedMemory named() {
        return named;
    }

    @Override
    public MemorySegment content() {
        return proxy == null ? MemorySegment.NULL : proxy.segment();
    }

    /// The copy is no work of a worker's.
    @Override
    public boolean needsWork() {
        return false;
    }

    @Override
    public boolean outlivesChannel() {
        return false;
    }

    @Override
    public void strand() {
        if (proxy != null) {
            proxy.strand();
        }
        release();
    }

    @Override
    public void close() {
        giveProxyBack();
        release();
    }
}
