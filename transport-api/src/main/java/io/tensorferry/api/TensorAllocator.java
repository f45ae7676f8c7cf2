package io.tensorferry.api;

import java.util.List;

/// Makes tensors whose memory suits a transport: for the verbs transport, registered memory that the device reads
/// and writes without a copy.
///
/// Threading: any thread. The content of a new tensor is undefined. The caller owns the handle.
public interface TensorAllocator {
    /// Where its tensors are.
    default Device device() {
        return Device.HOST;
    }

    /// A tensor with `byteSize` bytes of memory, aligned to 64 bytes.
    ///
    /// @param byteSize `shape.byteSize(dataType)` for a DMA-able type, the size of the encoded elements for
    ///     strings; 0 or more
    /// @throws IllegalArgumentException if `byteSize` is negative or contradicts a DMA-able type's shape
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory left
    Tensor allocate(DataType dataType, Shape shape, long byteSize);

    /// A tensor of a DMA-able type, row-major in `shape.byteSize(dataType)` bytes.
    ///
    /// @throws IllegalArgumentException if `dataType` is not DMA-able
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory left
    default Tensor allocate(DataType dataType, Shape shape) {
        return allocate(dataType, shape, shape.byteSize(dataType));
    }

    /// A string tensor with these elements, row-major.
    ///
    /// @throws IllegalArgumentException if the number of elements is not `shape.elementCount()`
    /// @throws UnsupportedOperationException if the processor cannot write memory of [#device()]
    default Tensor allocateStrings(Shape shape, List<byte[]> elements) {
        if (!device().hostAccessible()) {
            throw new UnsupportedOperationException("string tensors are in host memory, not on " + device());
        }
        if (elements.size() != shape.elementCount()) {
            throw new IllegalArgumentException("a string tensor of shape " + shape + " takes " + shape.elementCount()
                    + " elements, not " + elements.size());
        }
        Tensor tensor = allocate(DataType.STRING, shape, StringLayout.byteSize(elements));
        try {
            StringLayout.write(tensor.segment(), elements);
            return tensor;
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    /// Plain off-heap memory that no device knows, freed by the garbage collector after the last handle is gone. A
    /// transport sends such a tensor through a registered copy.
    static TensorAllocator unregistered() {
        return UnregisteredAllocator.INSTANCE;
    }
}
