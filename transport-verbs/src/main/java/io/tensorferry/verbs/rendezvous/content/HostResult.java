package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.ResultAllocator;
import io.tensorferry.verbs.rendezvous.strings.TensorProtoCodec;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result in host memory. The sender writes directly into the result tensor if its memory is registered. It writes
/// into a buffer if the content is serialised, or if the result is in unregistered memory of the user.
///
/// @param named the memory to name; null if nothing is to be written
/// @param result the result; null if the content must be decoded, and for a dead tensor
/// @param buffer the buffer that the sender writes, if it does not write into the result
public record HostResult(
        @Nullable NamedMemory named,
        RecvResult.@Nullable Received result,
        @Nullable RegisteredBuffer buffer) implements Destination {
    /// @param options name the allocator of the result
    /// @param mayWait whether this thread may wait for memory when the pool is at its limit
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, `INVALID_ARGUMENT` for a serialised
    ///     tensor of 0 bytes; the failures of [ResultAllocator]
    public static HostResult allocate(
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

    private MemorySegment content() {
        if (buffer != null) {
            return buffer.segment();
        }
        return result != null ? result.tensor().segment() : MemorySegment.NULL;
    }

    @Override
    public void fill(MemorySegment content) {
        content().copyFrom(content);
    }

    @Override
    public Destination fill(SlotReader message) {
        message.copyContent(content());
        return this;
    }

    /// Runs on a worker thread if a checksum or a buffer makes it slow.
    @Override
    public void deliver(
            TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum) {
        if (checksum.isPresent() || buffer != null) {
            context.workers().execute(() -> open(context, receive, metaData, checksum));
        } else {
            open(context, receive, metaData, checksum);
        }
    }

    private void open(TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum) {
        try {
            context.verify(receive, content(), checksum);
            receive.complete(metaData.dead() ? new RecvResult.Dead() : opened(context, receive, metaData));
        } catch (RuntimeException | Error e) {
            close();
            context.fail(receive, receive.asFailure(e));
        }
    }

    private RecvResult opened(TransferContext context, RemoteReceive receive, TensorMetaData metaData) {
        RegisteredBuffer landed = buffer;
        RecvResult.Received opened = result;
        if (landed == null) {
            return Objects.requireNonNull(opened, "there is neither a result nor a buffer");
        }
        if (opened == null) {
            // String tensors are in host memory, even if the result was requested on an accelerator.
            TensorAllocator allocator = receive.accelerator() == null
                    ? ResultAllocator.of(receive.options(), context.memory(), true)
                    : context.memory().allocator();
            opened = new RecvResult.Received(TensorProtoCodec.decode(landed.segment(), metaData, allocator));
        } else {
            context.counters().copiedResults.increment();
            opened.tensor().segment().copyFrom(landed.segment());
        }
        landed.close();
        return opened;
    }

    @Override
    public boolean outlivesChannel() {
        return true;
    }

    @Override
    public void strand() {
        // The peer may write all of the memory: it is never released.
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
