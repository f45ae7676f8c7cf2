package io.tensorferry.verbs.rendezvous;

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
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A result in memory of an accelerator that the RDMA device writes by itself: the sender is told the tensor's own
/// memory.
///
/// The processor does not reach it. Where the content is to be verified there is none of these: it is staged then.
///
/// Owner: the thread that makes it, then the loop.
///
/// @param named all of the tensor
record DirectResult(AcceleratorUnit unit, Tensor tensor, NamedMemory named) implements Destination {
    /// Whether results on an accelerator are written there by peers, where their memory is registered.
    static boolean isPossible(AcceleratorUnit unit, RendezvousOptions options) {
        return unit.directAccess().takesWrites() && !options.dataValidation();
    }

    /// Whether the memory of a result is known to be registered before it is made: it is not another's than the
    /// transport's.
    static boolean isOwn(ReceiveOptions options, AcceleratorUnit unit) {
        TensorAllocator given = options.allocator();
        return given == null || unit.allocator().equals(given);
    }

    /// A result whose memory is registered; null where that of `tensor` is not, or where it has none.
    ///
    /// @param tensor is taken, if there is a result
    static @Nullable DirectResult of(AcceleratorUnit unit, Tensor tensor, RegisteredMemory memory) {
        long bytes = tensor.byteSize();
        MemoryRegion region = bytes == 0 ? null : memory.regionOf(tensor.address(), bytes);
        return region == null ? null : new DirectResult(unit, tensor, new NamedMemory(region, tensor.address(), bytes));
    }

    /// A result in the transport's own memory, without waiting for the driver. One of no bytes needs none of it.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no slab has room now
    static Destination allocateNow(TensorMetaData metaData, AcceleratorUnit unit, RegisteredMemory memory) {
        Tensor tensor = unit.allocatorNow().allocate(metaData.dataType(), metaData.shape());
        DirectResult direct = of(unit, tensor, memory);
        return direct == null ? StagedResult.of(unit, tensor) : direct;
    }

    /// What is handed to the user who gets the tensor.
    RecvResult.Received result() {
        return new RecvResult.Received(tensor);
    }

    /// The same result for a content that did not come into its memory.
    ///
    /// @param content all of it
    StagedResult filledWith(MemorySegment content) {
        return StagedResult.ofCarried(unit, tensor, content);
    }

    /// Not to be read here.
    @Override
    public MemorySegment content() {
        throw new IllegalStateException(tensor + " is not in host memory");
    }

    @Override
    public boolean needsWork() {
        return false;
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
            // What was written is to be there before somebody else's content is.
            unit.copies().whenWritten(new Closing());
        } else {
            // It may wait for the driver, with memory of the user's allocator.
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
