package io.tensorferry.api;

/// The metadata that a receiver needs to allocate a result. Immutable.
///
/// @param dataType the element type
/// @param shape the dimensions
/// @param dead whether the producer sent a dead tensor (the untaken branch of a conditional), which has no content
/// @param byteSize the size of the content on the wire in bytes: `shape.byteSize(dataType)`, or the serialised size if
///     the type is not DMA-able; 0 for a dead tensor
public record TensorMetaData(DataType dataType, Shape shape, boolean dead, long byteSize) {
    /// @throws IllegalArgumentException if `byteSize` is negative or contradicts the type, the shape or `dead`
    public TensorMetaData {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byte size " + byteSize + " is negative");
        }
        if (dead && byteSize != 0) {
            throw new IllegalArgumentException("a dead tensor has no content, but its byte size is " + byteSize);
        }
        if (!dead && dataType.isDmaAble() && byteSize != shape.byteSize(dataType)) {
            throw new IllegalArgumentException("byte size " + byteSize + " of a " + dataType + " tensor of shape "
                    + shape + " should be " + shape.byteSize(dataType));
        }
    }

    /// Returns the metadata of a dead tensor. Its type and shape have no meaning.
    public static TensorMetaData ofDead() {
        return new TensorMetaData(DataType.FLOAT, Shape.scalar(), true, 0);
    }

    /// Returns the metadata of a DMA-able tensor.
    ///
    /// @throws IllegalArgumentException if `dataType` is not DMA-able
    public static TensorMetaData of(DataType dataType, Shape shape) {
        return new TensorMetaData(dataType, shape, false, shape.byteSize(dataType));
    }
}
