package io.tensorferry.verbs.rendezvous.strings;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.TensorProto;
import io.tensorferry.proto.TensorShapeProto;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Encodes and decodes string tensors as serialised `TensorProto`s, their wire format.
///
/// Each byte is copied once, from the tensor's memory to the serialised form or back; no protobuf objects or strings
/// are created. The output equals that of protobuf. The decoder accepts every encoding that protobuf accepts, in any
/// field order.
///
/// Stateless; any thread. The time is proportional to the content, so do not call it on the completion loop.
public final class TensorProtoCodec {
    /// Protobuf's limit for one message.
    public static final long MAX_BYTES = Integer.MAX_VALUE;

    private static final int DTYPE = ProtoReader.tag(TensorProto.DTYPE_FIELD_NUMBER, ProtoReader.VARINT);
    private static final int SHAPE = ProtoReader.tag(TensorProto.SHAPE_FIELD_NUMBER, ProtoReader.LENGTH_DELIMITED);
    private static final int STRING =
            ProtoReader.tag(TensorProto.STRING_VAL_FIELD_NUMBER, ProtoReader.LENGTH_DELIMITED);
    private static final int DIMENSIONS =
            ProtoReader.tag(TensorShapeProto.DIM_FIELD_NUMBER, ProtoReader.LENGTH_DELIMITED);
    private static final int ONE_DIMENSION = ProtoReader.tag(TensorShapeProto.DIM_FIELD_NUMBER, ProtoReader.VARINT);

    private TensorProtoCodec() {}

    /// Returns the size of the serialised form in bytes, at most [#MAX_BYTES].
    ///
    /// @throws IllegalArgumentException if the tensor is not a string tensor
    /// @throws TransportException `INVALID_ARGUMENT` if the form would exceed [#MAX_BYTES], or the tensor's memory does
    ///     not hold valid elements
    public static long serializedSize(Tensor tensor) {
        var elements = new StringElements(tensor);
        long shapeBytes = shapeBytes(tensor.shape());
        long size = 1 + varintBytes(DataType.STRING.number()) + 1 + varintBytes(shapeBytes) + shapeBytes;
        for (long i = 0; i < elements.count() && size <= MAX_BYTES; i++) {
            long length = elements.length(i);
            size += 1 + varintBytes(length) + length;
        }
        if (size > MAX_BYTES) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    tensor + " does not fit in a TensorProto, whose limit is " + MAX_BYTES + " bytes");
        }
        return size;
    }

    /// Writes the serialised form to the first [#serializedSize] bytes of `target`.
    ///
    /// @throws IllegalArgumentException if the tensor is not a string tensor, or `target` is too small
    /// @throws TransportException as [#serializedSize]
    public static void encode(Tensor tensor, MemorySegment target) {
        long size = serializedSize(tensor);
        if (target.byteSize() < size) {
            throw new IllegalArgumentException(
                    tensor + " takes " + size + " bytes in serialised form, the target has " + target.byteSize());
        }
        long position = putVarint(target, 0, DTYPE);
        position = putVarint(target, position, tensor.dataType().number());
        position = putVarint(target, position, SHAPE);
        position = putShape(target, position, tensor.shape());
        var elements = new StringElements(tensor);
        for (long i = 0; i < elements.count(); i++) {
            long length = elements.length(i);
            position = putVarint(target, position, STRING);
            position = putVarint(target, position, length);
            elements.copyTo(i, length, target, position);
            position += length;
        }
    }

    /// Reads the serialised form that `expected` describes from the first `expected.byteSize()` bytes of `source`.
    ///
    /// The bytes are untrusted. If they change during the call, the call throws, or the result mixes old and new bytes.
    ///
    /// @return a new tensor from `allocator`; the caller owns it
    /// @throws IllegalArgumentException if `expected` is dead or not a string tensor
    /// @throws TransportException `DATA_LOSS` if the bytes are not a `TensorProto`; `INVALID_ARGUMENT` if they encode
    ///     another type, shape or element count, or exceed [#MAX_BYTES]; the exceptions of `allocator`
    public static Tensor decode(MemorySegment source, TensorMetaData expected, TensorAllocator allocator) {
        if (expected.dead() || expected.dataType() != DataType.STRING) {
            throw new IllegalArgumentException(expected + " has no serialised form");
        }
        if (expected.byteSize() > MAX_BYTES) {
            throw mismatch("%d bytes exceed a TensorProto's limit of %d".formatted(expected.byteSize(), MAX_BYTES));
        }
        if (source.byteSize() < expected.byteSize()) {
            throw new TransportException(
                    StatusCode.DATA_LOSS,
                    source.byteSize() + " of the " + expected.byteSize()
                            + " bytes of a serialised tensor have arrived");
        }
        MemorySegment content = source.asSlice(0, expected.byteSize());
        long bytes = check(content, expected.shape());
        long count = expected.shape().elementCount();
        Tensor tensor = allocator.allocate(DataType.STRING, expected.shape(), StringElements.byteSize(count, bytes));
        try {
            fill(new StringElements(tensor), bytes, content);
            return tensor;
        } catch (RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    /// The first pass: checks that the content is the announced tensor. Returns the total size of all elements in
    /// bytes.
    private static long check(MemorySegment content, Shape expected) {
        var reader = new ProtoReader(content);
        var shape = new DimensionCheck(expected);
        long dataType = 0;
        long count = 0;
        long bytes = 0;
        while (!reader.atEnd()) {
            int tag = reader.readTag();
            if (tag == STRING) {
                long length = reader.readLength();
                reader.skipBytes(length);
                bytes += length;
                count++;
            } else if (tag == DTYPE) {
                dataType = reader.readVarint();
            } else if (tag == SHAPE) {
                readShape(reader, shape);
            } else {
                reader.skip(tag);
            }
        }
        if (dataType != DataType.STRING.number()) {
            throw mismatch("its data type is " + dataType + ", expected " + DataType.STRING.number() + " (strings)");
        }
        shape.finish();
        if (count != expected.elementCount()) {
            throw mismatch("it has " + count + " elements, expected " + expected.elementCount());
        }
        return bytes;
    }

    private static void readShape(ProtoReader reader, DimensionCheck shape) {
        long outer = reader.enter(reader.readLength());
        while (!reader.atEnd()) {
            int tag = reader.readTag();
            if (tag == DIMENSIONS) {
                long inShape = reader.enter(reader.readLength());
                while (!reader.atEnd()) {
                    shape.next(reader.readVarint());
                }
                reader.leave(inShape);
            } else if (tag == ONE_DIMENSION) {
                shape.next(reader.readVarint());
            } else {
                reader.skip(tag);
            }
        }
        reader.leave(outer);
    }

    /// The second pass. The bytes may have changed since the first pass, so its results only bound this pass and are
    /// checked again.
    private static void fill(StringElements elements, long bytes, MemorySegment content) {
        var reader = new ProtoReader(content);
        MemorySegment target = elements.bytes();
        long offset = 0;
        long index = 0;
        while (!reader.atEnd()) {
            int tag = reader.readTag();
            if (tag != STRING) {
                reader.skip(tag);
                continue;
            }
            long length = reader.readLength();
            if (index == elements.count() || length > bytes - offset) {
                throw reader.broken("it changed while it was read");
            }
            elements.setOffset(index++, offset);
            MemorySegment.copy(content, reader.position(), target, offset, length);
            reader.skipBytes(length);
            offset += length;
        }
        if (index != elements.count() || offset != bytes) {
            throw reader.broken("it changed while it was read");
        }
        elements.setOffset(index, offset);
    }

    private static long putShape(MemorySegment target, long start, Shape shape) {
        long position = putVarint(target, start, shapeBytes(shape));
        if (shape.rank() > 0) {
            position = putVarint(target, position, DIMENSIONS);
            position = putVarint(target, position, dimensionBytes(shape));
            for (int axis = 0; axis < shape.rank(); axis++) {
                position = putVarint(target, position, shape.dimension(axis));
            }
        }
        return position;
    }

    private static long shapeBytes(Shape shape) {
        long dimensionBytes = dimensionBytes(shape);
        return shape.rank() == 0 ? 0 : 1 + varintBytes(dimensionBytes) + dimensionBytes;
    }

    private static long dimensionBytes(Shape shape) {
        long bytes = 0;
        for (int axis = 0; axis < shape.rank(); axis++) {
            bytes += varintBytes(shape.dimension(axis));
        }
        return bytes;
    }

    private static int varintBytes(long value) {
        return value == 0 ? 1 : (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7;
    }

    private static long putVarint(MemorySegment target, long start, long value) {
        long position = start;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            target.set(ValueLayout.JAVA_BYTE, position++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        target.set(ValueLayout.JAVA_BYTE, position++, (byte) rest);
        return position;
    }

    private static TransportException mismatch(String what) {
        return new TransportException(
                StatusCode.INVALID_ARGUMENT, "the serialised tensor differs from its announcement: " + what);
    }

    /// Compares dimensions with the expected shape as they are read.
    private static final class DimensionCheck {
        private final Shape expected;
        private int axis;

        DimensionCheck(Shape expected) {
            this.expected = expected;
        }

        void next(long dimension) {
            if (axis == expected.rank() || dimension != expected.dimension(axis)) {
                throw mismatch("dimension " + axis + " is " + dimension + ", the expected shape is " + expected);
            }
            axis++;
        }

        void finish() {
            if (axis != expected.rank()) {
                throw mismatch("its rank is " + axis + ", the expected shape is " + expected);
            }
        }
    }
}
