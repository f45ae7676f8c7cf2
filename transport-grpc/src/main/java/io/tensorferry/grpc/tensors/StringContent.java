package io.tensorferry.grpc.tensors;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.strings.TensorProtoCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory for the serialised form of string tensors.
///
/// It comes from automatic arenas, because closing a shared arena briefly stops every thread of the process, for each
/// tensor.
final class StringContent {
    private StringContent() {}

    static MemorySegment encode(Tensor tensor) {
        MemorySegment content = allocate(TensorProtoCodec.serializedSize(tensor));
        TensorProtoCodec.encode(tensor, content);
        return content;
    }

    /// @throws TransportException `INVALID_ARGUMENT` if `bytes` exceeds the largest serialised tensor;
    ///     `RESOURCE_EXHAUSTED` if no memory is left
    static MemorySegment allocate(long bytes) {
        if (bytes > TensorProtoCodec.MAX_BYTES) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    "a serialised tensor has at most " + TensorProtoCodec.MAX_BYTES + " bytes, not " + bytes);
        }
        try {
            return Arena.ofAuto().allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new TransportException(StatusCode.RESOURCE_EXHAUSTED, "cannot allocate " + bytes + " bytes", e);
        }
    }

    static Tensor decode(MemorySegment content, TensorMetaData metaData, TensorAllocator allocator) {
        return TensorProtoCodec.decode(content, metaData, allocator);
    }
}
