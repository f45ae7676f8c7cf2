package io.tensorferry.verbs.memory;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.thread.PromptRelease;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/// Allocates tensors in registered memory. An empty tensor uses no memory.
///
/// Threading: any thread; stateless. Blocks if the memory source blocks.
final class PooledTensorAllocator implements TensorAllocator {
    private final LongFunction<RegisteredBuffer> memory;

    /// @param memory allocates a given number of registered bytes, 1 or more
    PooledTensorAllocator(LongFunction<RegisteredBuffer> memory) {
        this.memory = memory;
    }

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        if (byteSize == 0) {
            PromptRelease nothing = () -> {};
            return Tensor.wrap(dataType, shape, MemorySegment.NULL, nothing);
        }
        if (dataType.isDmaAble() && byteSize != shape.byteSize(dataType)) {
            throw new IllegalArgumentException("a " + dataType + " tensor of shape " + shape + " takes "
                    + shape.byteSize(dataType) + " bytes, not " + byteSize);
        }
        RegisteredBuffer buffer = memory.apply(byteSize);
        return buffer.toTensor(dataType, shape);
    }
}
