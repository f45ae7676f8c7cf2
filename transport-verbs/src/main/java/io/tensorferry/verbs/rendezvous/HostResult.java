package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A result in host memory: registered memory that a sender is told to write into, the result tensor's own; or a
/// buffer, for its serialised form, and for a result in memory of the user's that is not registered.
///
/// @param named what the sender is told; null where nothing is to be written
/// @param result the result; null where the content is to be decoded, and for a dead tensor
/// @param buffer what the sender writes into, where that is not the result
record HostResult(
        @Nullable NamedMemory named,
        RecvResult.@Nullable Received result,
        @Nullable RegisteredBuffer buffer) implements Destination {
    /// @param options say whose memory it is to be
    /// @param mayWait whether this thread may wait for memory of the pool at its limit
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, `INVALID_ARGUMENT` for a serialised
    ///     tensor of 0 bytes; what [ResultAllocator] throws
    static HostResult allocate(
            TensorMetaData metaData, ReceiveOptions options, RegisteredMemory memory, boolean mayWait) {
        if (metaData.dead()) {
            return new HostResult(null, null, null);
        }
        if (!metaData.dataType().isDmaAble()) {
            if (metaData.byteSize() == 0) {
                throw new TransportException(
                        StatusCode.INVALID_ARGUMENT, "a serialised tensor takes at least 1 byte: " + metaData);
            }
            return ofBuffer(null, metaData, memory, mayWait);
        }
        Tensor tensor = ResultAllocator.of(options, memory, mayWait).allocate(metaData.dataType(), metaData.shape());
        var result = new RecvResult.Received(tensor);
        if (metaData.byteSize() == 0) {
            return new HostResult(null, result, null);
        }
        try {
            long address = tensor.address();
            MemoryRegion region = memory.regionOf(address, metaData.byteSize());
            return region == null
                    ? ofBuffer(result, metaData, memory, mayWait)
                    : new HostResult(new NamedMemory(region, address, metaData.byteSize()), result, null);
        } catch (RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    private static HostResult ofBuffer(
            RecvResult.@Nullable Received result, TensorMetaData metaData, RegisteredMemory memory, boolean mayWait) {
        long bytes = metaData.byteSize();
        RegisteredBuffer buffer = mayWait ? memory.allocate(bytes) : memory.allocateNow(bytes);
        return new HostResult(new NamedMemory(buffer.region(), buffer.address(), bytes), result, buffer);
    }

    @Override
    public MemorySegment content() {
        if (buffer != null) {
            return buffer.segment();
        }
        return result != null ? result.tensor().segment() : MemorySegment.NULL;
    }

    /// Whether the content is to be decoded, or copied.
    @Override
    public boolean needsWork() {
        return buffer != null;
    }

    @Override
    public boolean outlivesChannel() {
        return true;
    }

    @Override
    public void strand() {
        // All of it is what the peer writes into: it is just not given back.
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
