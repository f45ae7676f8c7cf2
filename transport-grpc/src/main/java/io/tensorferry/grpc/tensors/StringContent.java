package io.tensorferry.grpc.tensors;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.strings.TensorProtoCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The memory that the serialised form of a string tensor takes on its way.
///
/// From automatic arenas: closing a shared arena stops every thread of the process for a moment, for each tensor.
final class StringContent {
    private StringContent() {}

    static MemorySegment encode(Tensor tensor) {
        MemorySegment content = allocate(TensorProtoCodec.serializedSize(tensor));
        TensorProtoCodec.encode(tensor, content);
        return content;
    }

    /// @throws TransportException `INVALID_ARGUMENT` if no serialised tensor is that large; `RESOURCE_EXHAUSTED` if
    ///     there is no memory
    static MemorySegment allocate(long bytes) {
        if (bytes > TensorProtoCodec.MAX_BYTES) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    "a serialised tensor has at most " + TensorProtoCodec.MAX_BYTES + " bytes, not " + bytes);
        }
        try {
            return Arena.ofAuto().allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new TransportException(StatusCode.RESOURCE_EXHAUSTED, "no memory for " + bytes + " bytes", e);
        }
    }

    static Tensor decode(MemorySegment content, TensorMetaData metaData, TensorAllocator allocator) {
        return TensorProtoCodec.decode(content, metaData, allocator);
    }
}
