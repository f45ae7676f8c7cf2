package io.tensorferry.api;

/// The element types of a tensor, with the numbers of TensorFlow's `DataType`
/// (`tensorflow/core/framework/types.proto`).
///
/// All types except [#STRING] have a fixed size, are little-endian, and can be written directly into the receiver's
/// memory ([#isDmaAble()]).
public enum DataType {
    FLOAT(1, 4),
    DOUBLE(2, 8),
    INT32(3, 4),
    UINT8(4, 1),
    INT16(5, 2),
    INT8(6, 1),
    /// Byte strings of any length. [Tensor#toStrings()] defines the memory layout. Transferred in serialised form.
    STRING(7, 0),
    /// Two floats: real part, imaginary part.
    COMPLEX64(8, 8),
    INT64(9, 8),
    /// One byte, 0 or 1.
    BOOL(10, 1),
    QINT8(11, 1),
    QUINT8(12, 1),
    QINT32(13, 4),
    BFLOAT16(14, 2),
    QINT16(15, 2),
    QUINT16(16, 2),
    UINT16(17, 2),
    /// Two doubles: real part, imaginary part.
    COMPLEX128(18, 16),
    HALF(19, 2),
    UINT32(22, 4),
    UINT64(23, 8);

    private static final DataType[] BY_NUMBER = new DataType[24];

    static {
        for (DataType type : values()) {
            BY_NUMBER[type.number] = type;
        }
    }

    private final int number;
    private final int byteSize;

    DataType(int number, int byteSize) {
        this.number = number;
        this.byteSize = byteSize;
    }

    /// TensorFlow's number of this type, 1 to 23.
    public int number() {
        return number;
    }

    /// The size of one element in bytes; 0 for [#STRING], whose elements vary in size.
    public int byteSize() {
        return byteSize;
    }

    /// Whether a device may write tensors of this type directly: all types of a fixed element size.
    public boolean isDmaAble() {
        return byteSize > 0;
    }

    /// Returns the type with TensorFlow's `number`.
    ///
    /// @throws IllegalArgumentException if no supported type has this number
    public static DataType ofNumber(int number) {
        DataType type = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        if (type == null) {
            throw new IllegalArgumentException("data type number " + number + " is not a supported type");
        }
        return type;
    }
}
