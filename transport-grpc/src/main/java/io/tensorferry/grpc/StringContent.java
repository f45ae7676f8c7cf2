package io.tensorferry.grpc;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;

/// String tensors in the form in which they travel, a serialised TensorProto.
final class StringContent {
    private StringContent() {}

    static MemorySegment encode(Tensor tensor) {
        throw new TransportException(StatusCode.UNIMPLEMENTED, "string tensors " + tensor);
    }

    static Tensor decode(MemorySegment content, TensorMetaData metaData, TensorAllocator allocator) {
        throw new TransportException(StatusCode.UNIMPLEMENTED, "string tensors " + content + metaData + allocator);
    }
}
