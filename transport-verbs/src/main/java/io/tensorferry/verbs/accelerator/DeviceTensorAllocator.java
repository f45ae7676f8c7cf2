package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.thread.PromptRelease;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.SlabPool;

/// Allocates tensors in pooled accelerator memory, aligned to 64 bytes. An empty tensor uses no memory, and its address
/// is 0.
///
/// Threading: any thread.
///
/// @param memory the pool of accelerator memory
/// @param mayWait whether it may wait for the driver; otherwise it allocates only from existing slabs
record DeviceTensorAllocator(Accelerator accelerator, SlabPool memory, boolean mayWait) implements TensorAllocator {
    @Override
    public Device device() {
        return accelerator;
    }

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        if (!dataType.isDmaAble() || byteSize != shape.byteSize(dataType)) {
            throw new IllegalArgumentException(
                    dataType.isDmaAble()
                            ? "a " + dataType + " tensor of shape " + shape + " takes " + shape.byteSize(dataType)
                                    + " bytes, not " + byteSize
                            : "a " + dataType + " tensor must be in host memory, not on " + accelerator);
        }
        if (byteSize == 0) {
            return Tensor.onDevice(dataType, shape, accelerator, 0, (PromptRelease) () -> {});
        }
        RegisteredBuffer buffer = mayWait ? memory.allocate(byteSize) : memory.allocateIfThere(byteSize);
        if (buffer == null) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "no slab of " + accelerator + " has " + byteSize + " free bytes, and this allocator adds none");
        }
        try {
            return Tensor.onDevice(dataType, shape, accelerator, buffer.address(), (PromptRelease) buffer::close);
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
    }
}
