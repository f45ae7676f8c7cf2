package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result in accelerator memory that the RDMA device writes directly: the request names the tensor's own memory.
///
/// The processor cannot read that memory. A content that must be verified is staged instead.
///
/// Owner: the thread that creates it, then the loop.
///
/// @param named all of the tensor
record DirectResult(AcceleratorUnit unit, Tensor tensor, NamedMemory named) implements Destination {
    /// Whether peers may write results into accelerator memory, if that memory is registered.
    static boolean isPossible(AcceleratorUnit unit, boolean dataValidation) {
        return unit.directAccess().takesWrites() && !dataValidation;
    }

    /// Whether the memory of a result is known to be registered before it is allocated, because the transport owns it.
    static boolean isOwn(ReceiveOptions options, AcceleratorUnit unit) {
        TensorAllocator given = options.allocator();
        return given == null || unit.allocator().equals(given);
    }

    /// Creates a result in `tensor`; null if its memory is not registered, or if it has no bytes.
    ///
    /// @param tensor taken over if a result is returned
    static @Nullable DirectResult of(AcceleratorUnit unit, Tensor tensor, RegisteredMemory memory) {
        long bytes = tensor.byteSize();
        MemoryRegion region = bytes == 0 ? null : memory.regionOf(tensor.address(), bytes);
        return region == null ? null : new DirectResult(unit, tensor, new NamedMemory(region, tensor.address(), bytes));
    }

    /// Allocates a result in the transport's own memory, without blocking on the driver. A result of 0 bytes needs no
    /// such memory.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no slab has room now
    static Destination allocateNow(TensorMetaData metaData, AcceleratorUnit unit, RegisteredMemory memory) {
        Tensor tensor = unit.allocatorNow().allocate(metaData.dataType(), metaData.shape());
        DirectResult direct = of(unit, tensor, memory);
        return direct == null ? StagedResult.of(unit, tensor) : direct;
    }

    @Override
    public void fill(MemorySegment content) {
        throw new IllegalStateException(tensor + " is not in host memory");
    }

    /// The content reaches the accelerator through a proxy.
    @Override
    public Destination fill(SlotReader message) {
        MemorySegment content = MemorySegment.ofArray(new byte[message.contentBytes()]);
        message.copyContent(content);
        return StagedResult.ofCarried(unit, tensor, content);
    }

    /// The content is visible to the accelerator once the NIC's writes are flushed. The [io.tensorferry.api.Delivery]
    /// of the receive has no effect: no event represents a flush.
    @Override
    public void deliver(
            TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum) {
        unit.countDirect();
        if (unit.flushesNicWrites()) {
            unit.copies().whenWritten(new Flush(context, receive));
        } else {
            receive.complete(new RecvResult.Received(tensor));
        }
    }

    private final class Flush extends CopyTask {
        private final TransferContext context;
        private final RemoteReceive receive;

        Flush(TransferContext context, RemoteReceive receive) {
            this.context = context;
            this.receive = receive;
        }

        @Override
        protected void onDone() {
            receive.complete(new RecvResult.Received(tensor));
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            unit.copies().release(tensor);
            context.fail(receive, cause);
        }
    }

    @Override
    public boolean outlivesChannel() {
        return true;
    }

    @Override
    public void strand() {
        unit.strand(tensor);
    }

    @Override
    public void close() {
        if (unit.flushesNicWrites()) {
            // Writes of the NIC must have arrived before the memory holds another content.
            unit.copies().whenWritten(new Closing());
        } else {
            // Releasing memory of the user's allocator may block on the driver.
            unit.copies().release(tensor);
        }
    }

    private final class Closing extends CopyTask {
        @Override
        protected void onDone() {
            unit.copies().release(tensor);
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            unit.copies().release(tensor);
        }
    }
}
