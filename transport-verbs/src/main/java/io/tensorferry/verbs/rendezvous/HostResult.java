package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A result in host memory: registered memory that a sender is told to write into, the result tensor's own or a buffer
/// for its serialised form.
///
/// @param named what the sender is told; null where nothing is to be written
/// @param result the result, a tensor in this memory; null where the content is to be decoded, and for a dead tensor
/// @param buffer the buffer, where the type is not DMA-able
record HostResult(
        @Nullable NamedMemory named,
        RecvResult.@Nullable Received result,
        @Nullable RegisteredBuffer buffer) implements Destination {
    /// @param mayWait whether this thread may wait for memory at the limit
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, `INVALID_ARGUMENT` for a serialised
    ///     tensor of 0 bytes
    static HostResult allocate(TensorMetaData metaData, RegisteredMemory memory, boolean mayWait) {
        if (metaData.dead()) {
            return new HostResult(null, null, null);
        }
        if (!metaData.dataType().isDmaAble()) {
            if (metaData.byteSize() == 0) {
                throw new TransportException(
                        StatusCode.INVALID_ARGUMENT, "a serialised tensor takes at least 1 byte: " + metaData);
            }
            long bytes = metaData.byteSize();
            RegisteredBuffer buffer = mayWait ? memory.allocate(bytes) : memory.allocateNow(bytes);
            return new HostResult(new NamedMemory(buffer.region(), buffer.address(), buffer.byteSize()), null, buffer);
        }
        TensorAllocator allocator = mayWait ? memory.allocator() : memory.allocatorNow();
        Tensor tensor = allocator.allocate(metaData.dataType(), metaData.shape());
        if (metaData.byteSize() == 0) {
            return new HostResult(null, new RecvResult.Received(tensor), null);
        }
        long address = tensor.segment().address();
        MemoryRegion region = memory.regionOf(address, metaData.byteSize());
        if (region == null) {
            tensor.close();
            throw new TransportException(
                    StatusCode.INTERNAL, "the allocator gave memory that is not registered for " + metaData);
        }
        return new HostResult(
                new NamedMemory(region, address, metaData.byteSize()), new RecvResult.Received(tensor), null);
    }

    @Override
    public MemorySegment content() {
        if (result != null) {
            return result.tensor().segment();
        }
        return buffer != null ? buffer.segment() : MemorySegment.NULL;
    }

    /// Whether the content is to be decoded.
    @Override
    public boolean needsWork() {
        return buffer != null;
    }

    @Override
    public void close() {
        if (result != null) {
            result.tensor().close();
        }
        if (buffer != null) {
            buffer.close();
        }
    }
}
