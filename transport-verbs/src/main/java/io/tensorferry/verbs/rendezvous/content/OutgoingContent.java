package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.thread.PromptRelease;
import io.tensorferry.verbs.accelerator.CopyQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.strings.TensorProtoCodec;
import io.tensorferry.verbs.wire.Checksum;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Registered memory that holds the content of one tensor, ready to be written to a peer, until [#close()]. The object
/// can then be reused for another tensor.
///
/// Owner: the loop, once the content is ready.
public final class OutgoingContent {
    private static final Logger LOG = LoggerFactory.getLogger(OutgoingContent.class);

    private TensorMetaData metaData = TensorMetaData.ofDead();
    private long address;
    private int localKey;
    private OptionalLong checksum = OptionalLong.empty();
    // Owns the memory: the tensor itself (also a tensor on an accelerator, or one whose event was awaited), or the
    // buffer that its content was copied or serialised into. Null if there is no content.
    private @Nullable AutoCloseable owner;

    /// A tensor whose last close may call the driver: a tensor in host memory whose event was reached, or a tensor on
    /// an accelerator that the RDMA device reads directly.
    private record DriverTensor(Tensor tensor, CopyQueue closer) implements AutoCloseable {
        boolean isOnDevice() {
            return !tensor.device().hostAccessible();
        }

        @Override
        public void close() {
            closer.release(tensor);
        }
    }

    public OutgoingContent() {}

    private OutgoingContent(
            TensorMetaData metaData, long address, int localKey, OptionalLong checksum, @Nullable AutoCloseable owner) {
        this.metaData = metaData;
        this.address = address;
        this.localKey = localKey;
        this.checksum = checksum;
        this.owner = owner;
    }

    /// The metadata for the receiver.
    public TensorMetaData metaData() {
        return metaData;
    }

    /// The tensor, if neither the processor nor the RDMA device can read it: its content is written through proxy
    /// buffers.
    @Nullable
    public StagedTensor staged() {
        return owner instanceof StagedTensor tensor ? tensor : null;
    }

    /// Whether the processor can read the content. Other content can only be written by RDMA, not carried in the ring.
    public boolean isHostReadable() {
        return !(owner instanceof StagedTensor) && !(owner instanceof DriverTensor tensor && tensor.isOnDevice());
    }

    /// Returns a new handle of a tensor that is not [#isHostReadable()]; null for any other content.
    @Nullable
    public Tensor shareOnDevice() {
        return switch (owner) {
            case StagedTensor staged -> staged.share();
            case DriverTensor direct when direct.isOnDevice() -> direct.tensor().share();
            case null, default -> null;
        };
    }

    /// The bytes of the content; only if [#isHostReadable()].
    public MemorySegment segment() {
        return switch (owner) {
            case null -> MemorySegment.NULL;
            case Tensor tensor -> tensor.segment();
            case DriverTensor awaited -> awaited.tensor().segment();
            case RegisteredBuffer buffer -> buffer.segment();
            default -> throw unknownOwner(owner);
        };
    }

    /// The address of the content; 0 if there is none.
    public long address() {
        return address;
    }

    /// The local key (lkey) of the memory region.
    public int localKey() {
        return localKey;
    }

    /// The checksum of the content, if one was requested.
    public OptionalLong checksum() {
        return checksum;
    }

    /// Holds the tensor without a copy if that takes no time: its memory is registered, or it has no bytes.
    ///
    /// @param expected the metadata that the tensor probably has; it is reused if it matches
    /// @return false if [#prepare] must first read or copy the tensor on a worker thread; the caller then still owns it
    public boolean hold(Tensor tensor, @Nullable TensorMetaData expected, RegisteredMemory memory) {
        if (!tensor.dataType().isDmaAble()) {
            return false;
        }
        long bytes = tensor.byteSize();
        if (bytes > 0) {
            long start = tensor.address();
            MemoryRegion region = memory.regionOf(start, bytes);
            if (region == null) {
                return false;
            }
            address = start;
            localKey = region.localKey();
            owner = tensor;
        }
        metaData = expected != null && isOf(tensor, expected)
                ? expected
                : TensorMetaData.of(tensor.dataType(), tensor.shape());
        if (bytes == 0) {
            tensor.close();
        }
        return true;
    }

    private static boolean isOf(Tensor tensor, TensorMetaData metaData) {
        return !metaData.dead()
                && metaData.dataType() == tensor.dataType()
                && metaData.shape().equals(tensor.shape());
    }

    public static OutgoingContent ofDead(boolean withChecksum) {
        return new OutgoingContent(TensorMetaData.ofDead(), 0, 0, checksum(MemorySegment.NULL, withChecksum), null);
    }

    public static OutgoingContent ofEmpty(TensorMetaData metaData, boolean withChecksum) {
        return new OutgoingContent(metaData, 0, 0, checksum(MemorySegment.NULL, withChecksum), null);
    }

    /// Creates a content on an accelerator that the RDMA device reads directly.
    ///
    /// @param region the memory region that holds it
    /// @param closer closes the tensor
    public static OutgoingContent ofDirect(
            TensorMetaData metaData, Tensor tensor, MemoryRegion region, CopyQueue closer) {
        return new OutgoingContent(
                metaData, tensor.address(), region.localKey(), OptionalLong.empty(), new DriverTensor(tensor, closer));
    }

    /// Creates a content on an accelerator that goes through proxy buffers.
    public static OutgoingContent ofStaged(TensorMetaData metaData, StagedTensor tensor, OptionalLong checksum) {
        return new OutgoingContent(metaData, 0, 0, checksum, tensor);
    }

    /// Makes `closer` close the tensor, if this content owns one.
    public OutgoingContent closedBy(CopyQueue closer) {
        if (owner instanceof Tensor tensor) {
            owner = new DriverTensor(tensor, closer);
        }
        return this;
    }

    /// Prepares the content of a tensor; takes the tensor over and closes it on failure. Call on a worker thread: it
    /// reads or copies the content and may wait for memory at the limit.
    ///
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory for a copy
    public static OutgoingContent prepare(
            Tensor tensor, boolean withChecksum, RegisteredMemory memory, RendezvousCounters counters) {
        try {
            if (!tensor.dataType().isDmaAble()) {
                return serialise(tensor, withChecksum, memory);
            }
            var metaData = TensorMetaData.of(tensor.dataType(), tensor.shape());
            if (metaData.byteSize() == 0) {
                tensor.close();
                return ofEmpty(metaData, withChecksum);
            }
            MemorySegment content = tensor.segment();
            MemoryRegion region = memory.regionOf(content.address(), content.byteSize());
            if (region == null) {
                return copy(tensor, metaData, withChecksum, memory, counters);
            }
            return new OutgoingContent(
                    metaData, content.address(), region.localKey(), checksum(content, withChecksum), tensor);
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    private static OutgoingContent serialise(Tensor tensor, boolean withChecksum, RegisteredMemory memory) {
        long size = TensorProtoCodec.serializedSize(tensor);
        RegisteredBuffer buffer = memory.allocate(size);
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
            RendezvousCounters counters) {
        counters.unregisteredCopies.increment();
        if (counters.unregisteredCopies.sum() == 1) {
            LOG.warn(
                    "a tensor of {} bytes is not in registered memory and is sent through a copy; allocate tensors with the transport's allocator or"
                            + " register their memory (logged once; the statistics count them)",
                    metaData.byteSize());
        }
        long bytes = metaData.byteSize();
        RegisteredBuffer buffer = memory.allocate(bytes);
        try {
            MemorySegment.copy(tensor.segment(), 0, buffer.segment(), 0, metaData.byteSize());
        } catch (RuntimeException e) {
            // The user's memory may have ended before its tensor.
            buffer.close();
            throw e;
        }
        tensor.close();
        return ofBuffer(metaData, buffer, withChecksum);
    }

    /// Creates a content that was copied or serialised into `buffer`.
    public static OutgoingContent ofBuffer(TensorMetaData metaData, RegisteredBuffer buffer, boolean withChecksum) {
        return new OutgoingContent(
                metaData, buffer.address(), buffer.localKey(), checksum(buffer.segment(), withChecksum), buffer);
    }

    private static OptionalLong checksum(MemorySegment content, boolean wanted) {
        return wanted ? OptionalLong.of(Checksum.of(content)) : OptionalLong.empty();
    }

    /// Converts the content back to a tensor, for another path to the receiver; the result owns the content from now
    /// on. Requires [#isHostReadable()].
    ///
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory for it
    public RecvResult asResult(RegisteredMemory memory) {
        if (owner instanceof Tensor tensor) {
            return new RecvResult.Received(tensor);
        }
        if (owner instanceof DriverTensor awaited) {
            return new RecvResult.Received(awaited.tensor());
        }
        if (metaData.dead()) {
            return new RecvResult.Dead();
        }
        if (!(owner instanceof RegisteredBuffer buffer)) {
            return new RecvResult.Received(memory.allocator().allocate(metaData.dataType(), metaData.shape()));
        }
        if (metaData.dataType().isDmaAble()) {
            return new RecvResult.Received(Tensor.wrap(
                    metaData.dataType(), metaData.shape(), buffer.segment(), (PromptRelease) buffer::close));
        }
        try {
            return new RecvResult.Received(TensorProtoCodec.decode(buffer.segment(), metaData, memory.allocator()));
        } finally {
            buffer.close();
        }
    }

    /// Releases the memory; the device has finished with it.
    public void close() {
        AutoCloseable closed = owner;
        forget();
        switch (closed) {
            case null -> {}
            case Tensor tensor -> tensor.close();
            case DriverTensor tensor -> tensor.close();
            case StagedTensor staged -> staged.close();
            case RegisteredBuffer buffer -> buffer.close();
            default -> throw unknownOwner(closed);
        }
    }

    private static IllegalStateException unknownOwner(AutoCloseable owner) {
        return new IllegalStateException("unknown owner " + owner);
    }

    private void forget() {
        owner = null;
        address = 0;
        localKey = 0;
    }
}
