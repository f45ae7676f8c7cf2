package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Registered memory that a sender is told to write into: the result tensor's own, or a buffer for its serialised form.
///
/// @param address what the sender is told; 0 where nothing is to be written
/// @param remoteKey the key that goes with it
/// @param tensor the result, where its type is DMA-able and it is not dead
/// @param buffer the buffer, where the type is not DMA-able
record Destination(
        long address,
        int remoteKey,
        @Nullable Tensor tensor,
        @Nullable RegisteredBuffer buffer) implements AutoCloseable {
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory
    static Destination allocate(TensorMetaData metaData, RegisteredMemory memory) {
        if (metaData.dead()) {
            return new Destination(0, 0, null, null);
        }
        if (!metaData.dataType().isDmaAble()) {
            if (metaData.byteSize() == 0) {
                // No serialised form is empty: whoever says so gets what its decoding says.
                return new Destination(0, 0, null, null);
            }
            RegisteredBuffer buffer = memory.allocate(metaData.byteSize());
            return new Destination(buffer.address(), buffer.remoteKey(), null, buffer);
        }
        Tensor tensor = memory.allocator().allocate(metaData.dataType(), metaData.shape());
        if (metaData.byteSize() == 0) {
            return new Destination(0, 0, tensor, null);
        }
        long address = tensor.segment().address();
        MemoryRegion region = memory.regionOf(address, metaData.byteSize());
        if (region == null) {
            tensor.close();
            throw new TransportException(
                    StatusCode.INTERNAL, "the allocator gave memory that is not registered for " + metaData);
        }
        return new Destination(address, region.remoteKey(), tensor, null);
    }

    /// The bytes that the sender writes.
    MemorySegment content() {
        if (tensor != null) {
            return tensor.segment();
        }
        return buffer != null ? buffer.segment() : MemorySegment.NULL;
    }

    /// Whether the content is to be decoded before it is a tensor.
    boolean isSerialised() {
        return buffer != null;
    }

    @Override
    public void close() {
        if (tensor != null) {
            tensor.close();
        }
        if (buffer != null) {
            buffer.close();
        }
    }
}
