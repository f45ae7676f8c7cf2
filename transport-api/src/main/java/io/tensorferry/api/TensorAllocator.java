package io.tensorferry.api;

import java.util.List;

/// Allocates tensors in memory that suits a transport: for the verbs transport, registered memory that the device reads
/// and writes without a copy.
///
/// The content of a new tensor is undefined. The caller owns the handle.
///
/// Threading: any thread.
public interface TensorAllocator {
    /// The device that holds the memory of the tensors; by default [Device#HOST].
    default Device device() {
        return Device.HOST;
    }

    /// Allocates a tensor of `byteSize` bytes, aligned to 64 bytes.
    ///
    /// @param byteSize `shape.byteSize(dataType)` for a DMA-able type; for strings, the size of offsets and elements
    ///     together; 0 or more
    /// @throws IllegalArgumentException if `byteSize` is negative or contradicts the shape of a DMA-able type
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no memory is left
    Tensor allocate(DataType dataType, Shape shape, long byteSize);

    /// Allocates a tensor of a DMA-able type: `shape.byteSize(dataType)` bytes, row-major.
    ///
    /// @throws IllegalArgumentException if `dataType` is not DMA-able, or the size in bytes does not fit in a `long`
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no memory is left
    default Tensor allocate(DataType dataType, Shape shape) {
        return allocate(dataType, shape, shape.byteSize(dataType));
    }

    /// Allocates a [DataType#STRING] tensor and copies `elements` into it, row-major, in the layout of
    /// [Tensor#toStrings()].
    ///
    /// @param shape the dimensions, `elements.size()` elements in total
    /// @param elements the content of each element, not kept after the call
    /// @throws IllegalArgumentException if the number of elements is not `shape.elementCount()`
    /// @throws UnsupportedOperationException if the processor cannot access the memory of [#device()]
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no memory is left
    default Tensor allocateStrings(Shape shape, List<byte[]> elements) {
        if (!device().hostAccessible()) {
            throw new UnsupportedOperationException("string tensors must be in host memory, not on " + device());
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

    /// An allocator of plain off-heap memory that is not registered with any device. The garbage collector frees the
    /// memory after the last handle is gone. A transport sends such a tensor through a registered copy.
    static TensorAllocator unregistered() {
        return UnregisteredAllocator.INSTANCE;
    }
}
