package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.wire.Checksum;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A tensor made ready to be written: registered memory that holds its content, kept until [#close()].
///
/// @param metaData what the receiver must know
/// @param address where the content is; 0 where there is none
/// @param localKey the key of its region
/// @param checksum the content's checksum, where one was asked for
/// @param owner what keeps the memory: the tensor itself, or the buffer that its content was copied or serialised
///     into; null where there is no content
record OutgoingContent(
        TensorMetaData metaData,
        long address,
        int localKey,
        OptionalLong checksum,
        @Nullable AutoCloseable owner) {
    private static final Logger LOG = LoggerFactory.getLogger(OutgoingContent.class);

    /// Whether [#prepare] reads or copies the content, and so belongs on a worker thread.
    static boolean takesLong(RecvResult.Received item, boolean withChecksum, RegisteredMemory memory) {
        Tensor tensor = item.tensor();
        return withChecksum
                || !tensor.dataType().isDmaAble()
                || (tensor.byteSize() > 0 && memory.regionOf(tensor.segment().address(), tensor.byteSize()) == null);
    }

    static OutgoingContent ofDead(boolean withChecksum) {
        return new OutgoingContent(TensorMetaData.ofDead(), 0, 0, checksum(MemorySegment.NULL, withChecksum), null);
    }

    /// Takes the tensor; closes it when this fails.
    ///
    /// @param mayWait whether this thread may wait for memory at the limit; where [#takesLong] said no, memory is
    /// needed
    ///     only if the tensor's region went away since
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory for a copy
    static OutgoingContent prepare(
            Tensor tensor,
            boolean withChecksum,
            RegisteredMemory memory,
            RendezvousCounters counters,
            boolean mayWait) {
        try {
            if (!tensor.dataType().isDmaAble()) {
                return serialise(tensor, withChecksum, memory, mayWait);
            }
            var metaData = TensorMetaData.of(tensor.dataType(), tensor.shape());
            if (metaData.byteSize() == 0) {
                tensor.close();
                return new OutgoingContent(metaData, 0, 0, checksum(MemorySegment.NULL, withChecksum), null);
            }
            MemorySegment content = tensor.segment();
            MemoryRegion region = memory.regionOf(content.address(), content.byteSize());
            if (region == null) {
                return copy(tensor, metaData, withChecksum, memory, counters, mayWait);
            }
            return new OutgoingContent(
                    metaData, content.address(), region.localKey(), checksum(content, withChecksum), tensor);
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    private static OutgoingContent serialise(
            Tensor tensor, boolean withChecksum, RegisteredMemory memory, boolean mayWait) {
        long size = TensorProtoCodec.serializedSize(tensor);
        RegisteredBuffer buffer = mayWait ? memory.allocate(size) : memory.allocateNow(size);
        try {
            TensorProtoCodec.encode(tensor, buffer.segment());
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
        var metaData = new TensorMetaData(tensor.dataType(), tensor.shape(), false, size);
        tensor.close();
        return ofBuffer(metaData, buffer, withChecksum);
    }

    private static OutgoingContent copy(
            Tensor tensor,
            TensorMetaData metaData,
            boolean withChecksum,
            RegisteredMemory memory,
            RendezvousCounters counters,
            boolean mayWait) {
        counters.unregisteredCopies.increment();
        if (counters.unregisteredCopies.sum() == 1) {
            LOG.warn(
                    "a tensor of {} bytes is not in registered memory and is sent through a copy; allocate tensors with the transport's allocator or"
                            + " register their memory (said once; the statistics count them)",
                    metaData.byteSize());
        }
        long bytes = metaData.byteSize();
        RegisteredBuffer buffer = mayWait ? memory.allocate(bytes) : memory.allocateNow(bytes);
        MemorySegment.copy(tensor.segment(), 0, buffer.segment(), 0, metaData.byteSize());
        tensor.close();
        return ofBuffer(metaData, buffer, withChecksum);
    }

    private static OutgoingContent ofBuffer(TensorMetaData metaData, RegisteredBuffer buffer, boolean withChecksum) {
        return new OutgoingContent(
                metaData, buffer.address(), buffer.localKey(), checksum(buffer.segment(), withChecksum), buffer);
    }

    private static OptionalLong checksum(MemorySegment content, boolean wanted) {
        return wanted ? OptionalLong.of(Checksum.of(content)) : OptionalLong.empty();
    }

    /// The tensor again, for another way to the receiver; the content is the result's from now on.
    ///
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory for it
    RecvResult asResult(RegisteredMemory memory) {
        if (owner instanceof Tensor tensor) {
            return new RecvResult.Received(tensor);
        }
        if (metaData.dead()) {
            return new RecvResult.Dead();
        }
        if (!(owner instanceof RegisteredBuffer buffer)) {
            return new RecvResult.Received(memory.allocator().allocate(metaData.dataType(), metaData.shape()));
        }
        if (metaData.dataType().isDmaAble()) {
            return new RecvResult.Received(
                    Tensor.wrap(metaData.dataType(), metaData.shape(), buffer.segment(), buffer::close));
        }
        try {
            return new RecvResult.Received(TensorProtoCodec.decode(buffer.segment(), metaData, memory.allocator()));
        } finally {
            buffer.close();
        }
    }

    /// Gives the memory back; the device is done with it.
    void close() {
        switch (owner) {
            case null -> {}
            case Tensor tensor -> tensor.close();
            case RegisteredBuffer buffer -> buffer.close();
            default -> throw new IllegalStateException("unknown owner " + owner);
        }
    }
}
