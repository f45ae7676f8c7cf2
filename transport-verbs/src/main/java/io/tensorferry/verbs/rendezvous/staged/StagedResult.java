package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
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
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.ResultAllocator;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result in accelerator memory that the sender's device cannot write: the sender writes into a proxy, and the
/// content is copied from there once all of it has landed. A result of 0 bytes needs neither proxy nor copy. A result
/// larger than a piece is staged as a whole only if its sender serves no pieces; otherwise it is a [PieceReceiver].
///
/// It acquires its proxy once the peer has the content ready, and holds it only for the write and the copy, because
/// other receives wait for proxies.
///
/// Owner: the thread that creates it, then the loop.
public final class StagedResult implements Destination, ProxyWaiter {
    private final AcceleratorUnit unit;
    private final Tensor tensor;
    private @Nullable Proxy proxy;
    private @Nullable NamedMemory named;
    // A content that came in the ring, until there is a proxy for it.
    private @Nullable MemorySegment carried;
    // Notified when there is a proxy.
    private @Nullable Asker asker;

    private StagedResult(AcceleratorUnit unit, Tensor tensor) {
        this.unit = unit;
        this.tensor = tensor;
    }

    /// Whether such tensors are placed in accelerator memory; string tensors are in host memory.
    static boolean isFor(TensorMetaData metaData) {
        return !metaData.dead() && metaData.dataType().isDmaAble();
    }

    /// Allocates a result without a proxy. It may block on the driver.
    ///
    /// @param options name the allocator of the result
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, or the tensor exceeds the largest proxy;
    ///     the failure that has broken the accelerator; the failures of [ResultAllocator]
    static StagedResult allocate(TensorMetaData metaData, ReceiveOptions options, AcceleratorUnit unit) {
        requireWorking(unit);
        requireProxies(unit, metaData.byteSize());
        return new StagedResult(unit, allocateTensor(metaData, options, unit));
    }

    /// Allocates only the memory of a result.
    ///
    /// @throws TransportException as [#allocate], except the check of the proxy size
    static Tensor allocateTensor(TensorMetaData metaData, ReceiveOptions options, AcceleratorUnit unit) {
        requireWorking(unit);
        return ResultAllocator.of(options, unit.allocator()).allocate(metaData.dataType(), metaData.shape());
    }

    private static void requireProxies(AcceleratorUnit unit, long bytes) {
        long most = unit.options().shareBytes();
        if (bytes > most) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + bytes + " bytes for " + unit.device() + " exceeds the " + most
                            + " bytes of proxies for receives, half of proxyBytes ("
                            + unit.options().proxyBytes() + "), and its sender serves no pieces");
        }
    }

    /// Creates a result in an existing tensor.
    ///
    /// @param tensor taken over, unless this throws
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the tensor exceeds the largest proxy
    static StagedResult of(AcceleratorUnit unit, Tensor tensor) {
        requireProxies(unit, tensor.byteSize());
        return new StagedResult(unit, tensor);
    }

    /// Creates a result in an existing tensor, for a content that came in the ring.
    static StagedResult ofCarried(AcceleratorUnit unit, Tensor tensor, MemorySegment content) {
        var result = new StagedResult(unit, tensor);
        result.fill(content);
        return result;
    }

    /// @throws TransportException the failure that has broken the accelerator, if it is broken
    public static void requireWorking(AcceleratorUnit unit) {
        TransportException cause = unit.copies().broken();
        if (cause != null) {
            throw cause;
        }
    }

    Tensor tensor() {
        return tensor;
    }

    private boolean needsProxy() {
        return proxy == null && tensor.byteSize() > 0;
    }

    @Override
    public void prepare(String peer, Asker by) {
        if (needsProxy()) {
            asker = by;
            unit.receiveProxies().acquire(tensor.byteSize(), peer, this);
        } else {
            by.onReady();
        }
    }

    @Override
    public void cancelPrepare() {
        asker = null;
        unit.receiveProxies().cancel(this);
    }

    @Override
    public void onProxy(Proxy given) {
        take(given);
        takeAsker().onReady();
    }

    @Override
    public void onNoProxy(TransportException cause) {
        takeAsker().onNotReady(cause);
    }

    private Asker takeAsker() {
        Asker taken = Objects.requireNonNull(asker, "no request waits for a proxy");
        asker = null;
        return taken;
    }

    private void take(Proxy given) {
        proxy = given;
        named = new NamedMemory(given.region(), given.address(), given.byteSize());
        MemorySegment content = carried;
        if (content != null) {
            given.segment().copyFrom(content);
            carried = null;
        }
    }

    @Override
    public @Nullable NamedMemory named() {
        return named;
    }

    private MemorySegment content() {
        return proxy == null ? MemorySegment.NULL : proxy.segment();
    }

    @Override
    public void fill(MemorySegment content) {
        if (tensor.byteSize() > 0) {
            carried = content;
        }
    }

    @Override
    public Destination fill(SlotReader message) {
        message.copyContent(content());
        return this;
    }

    @Override
    public void deliver(
            TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum) {
        if (checksum.isPresent()) {
            context.workers().execute(() -> verify(context, receive, checksum));
        } else {
            copyOrComplete(context, receive);
        }
    }

    private void verify(TransferContext context, RemoteReceive receive, OptionalLong checksum) {
        try {
            context.verify(receive, content(), checksum);
            copyOrComplete(context, receive);
        } catch (RuntimeException | Error e) {
            // The loop owns the proxies.
            context.loop().execute(this::close);
            context.fail(receive, receive.asFailure(e));
        }
    }

    private void copyOrComplete(TransferContext context, RemoteReceive receive) {
        if (proxy == null && carried == null) {
            receive.complete(new RecvResult.Received(tensor));
        } else {
            unit.countStaged();
            new Copy(context, receive).start();
        }
    }

    /// Copies the landed content, and completes the receive when the copy is done, or when it is queued if the user
    /// requested [Delivery#QUEUED].
    ///
    /// Owner: the accelerator's copy queue.
    private final class Copy extends CopyTask implements ProxyWaiter {
        private final TransferContext context;
        private final RemoteReceive receive;
        // Whether the receive was completed before the copy.
        private boolean handedOver;

        Copy(TransferContext context, RemoteReceive receive) {
            this.context = context;
            this.receive = receive;
        }

        /// On the loop, if it still needs a proxy.
        private void start() {
            if (needsProxy()) {
                unit.receiveProxies().acquire(tensor.byteSize(), receive.peer(), this);
            } else {
                copy();
            }
        }

        private void copy() {
            unit.copies().fromHost(content(), tensor.address(), this);
        }

        @Override
        public void onProxy(Proxy given) {
            take(given);
            copy();
        }

        @Override
        public void onNoProxy(TransportException cause) {
            onFailed(cause, false);
        }

        @Override
        protected boolean wantsToKnowWhenQueued() {
            return receive.options().delivery() == Delivery.QUEUED;
        }

        /// The user gets a separate handle: the memory stays in use until the copy is done, even if the user closes the
        /// tensor.
        @Override
        protected void onQueued(DeviceEvent copied) {
            Tensor users = tensor.share().readyAfter(copied);
            handedOver = true;
            receive.complete(new RecvResult.Received(users));
        }

        @Override
        protected void onDone() {
            giveProxyBack();
            if (handedOver) {
                // Closing the last handle closes the event, which may block on the driver.
                release();
            } else {
                receive.complete(new RecvResult.Received(tensor));
            }
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            if (stranded) {
                strandCopy();
            } else {
                // The copy was not queued: there is no other handle.
                close();
            }
            if (!handedOver) {
                context.fail(receive, cause);
            }
        }
    }

    private void giveProxyBack() {
        if (proxy != null) {
            proxy.close();
        }
    }

    /// Closes the tensor. This may block on the driver if the memory is of the user's allocator, or if there is an
    /// event.
    private void release() {
        unit.copies().release(tensor);
    }

    /// Abandons both ends, because the accelerator may still copy at any time.
    void strandCopy() {
        if (proxy != null) {
            proxy.strand();
        }
        unit.strand(tensor);
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
