package io.tensorferry.grpc.tensors;

import com.google.protobuf.UnsafeByteOperations;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.TensorHeader;
import io.tensorferry.proto.TensorShapeProto;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Splits a tensor into the messages of its call.
///
/// The chunks are views of the tensor's memory: gRPC copies each chunk into its buffers before `onNext` returns.
///
/// Threading: one thread.
final class OutgoingTensor implements AutoCloseable {
    // Large enough to amortise the cost of a message, and smaller than a humongous object of the receiver's garbage
    // collector.
    static final int CHUNK_BYTES = 256 << 10;

    private final TensorMetaData metaData;
    private final MemorySegment content;
    private final @Nullable Tensor owner;
    private long position;

    private OutgoingTensor(TensorMetaData metaData, MemorySegment content, @Nullable Tensor owner) {
        this.metaData = metaData;
        this.content = content;
        this.owner = owner;
    }

    /// @param taken a result from the table, not a failure. This object closes its tensor; if this method throws, the
    ///     caller does
    static OutgoingTensor of(RecvResult taken) {
        if (!(taken instanceof RecvResult.Received(Tensor tensor))) {
            return new OutgoingTensor(TensorMetaData.ofDead(), MemorySegment.NULL, null);
        }
        MemorySegment content = tensor.dataType().isDmaAble() ? tensor.segment() : StringContent.encode(tensor);
        var metaData = new TensorMetaData(tensor.dataType(), tensor.shape(), false, content.byteSize());
        return new OutgoingTensor(metaData, content, tensor);
    }

    long byteSize() {
        return metaData.byteSize();
    }

    RecvTensorChunk header() {
        var shape = TensorShapeProto.newBuilder();
        for (long dimension : metaData.shape().toArray()) {
            shape.addDim(dimension);
        }
        return RecvTensorChunk.newBuilder()
                .setHeader(TensorHeader.newBuilder()
                        .setDtype(metaData.dataType().number())
                        .setShape(shape)
                        .setIsDead(metaData.dead())
                        .setTensorBytes(metaData.byteSize()))
                .build();
    }

    boolean hasMore() {
        return position < content.byteSize();
    }

    RecvTensorChunk nextChunk() {
        long length = Math.min(CHUNK_BYTES, content.byteSize() - position);
        var view = content.asSlice(position, length).asByteBuffer();
        position += length;
        return RecvTensorChunk.newBuilder()
                .setContent(UnsafeByteOperations.unsafeWrap(view))
                .build();
    }

    @Override
    public void close() {
        if (owner != null) {
            owner.close();
        }
    }
}
