package io.tensorferry.api;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Allocates tensors in plain off-heap memory that is not registered with any device.
///
/// Threading: any thread; stateless.
enum UnregisteredAllocator implements TensorAllocator {
    INSTANCE;

    private static final long ALIGNMENT = 64;

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byte size " + byteSize + " is negative");
        }
        if (dataType.isDmaAble() && byteSize != shape.byteSize(dataType)) {
            throw new IllegalArgumentException("a " + dataType + " tensor of shape " + shape + " takes "
                    + shape.byteSize(dataType) + " bytes, not " + byteSize);
        }
        return Tensor.wrap(dataType, shape, memory(byteSize), () -> {});
    }

    private static MemorySegment memory(long byteSize) {
        try {
            // An automatic arena is safe here because only Java code holds the address.
            return Arena.ofAuto().allocate(byteSize, ALIGNMENT);
        } catch (OutOfMemoryError e) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "cannot allocate " + byteSize
                            + " bytes of off-heap memory; the JVM limits it with -XX:MaxDirectMemorySize, by default to"
                            + " the size of the heap (-Xmx)",
                    e);
        }
    }
}
