package io.tensorferry.verbs.rendezvous.strings;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Reads the protobuf wire format from memory in place. The bytes are untrusted and may change during the read.
///
/// Protobuf's own stream copies each field to the heap, and reads off-heap memory in place only with access to
/// `sun.misc.Unsafe`. Every failure is a [TransportException] with `DATA_LOSS`.
final class ProtoReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int LENGTH_DELIMITED = 2;
    static final int FIXED32 = 5;

    private static final int MAX_VARINT_BYTES = 10;

    private final MemorySegment source;
    private long position;
    private long limit;

    ProtoReader(MemorySegment source) {
        this.source = source;
        this.limit = source.byteSize();
    }

    long position() {
        return position;
    }

    boolean atEnd() {
        return position == limit;
    }

    /// Reads the next tag: field number and wire type, as protobuf combines them.
    int readTag() {
        long tag = readVarint();
        if (tag >>> 3 == 0 || tag > 0xFFFFFFFFL || tag < 0) {
            throw broken("the field tag " + Long.toUnsignedString(tag) + " is invalid");
        }
        return (int) tag;
    }

    static int tag(int field, int wireType) {
        return (field << 3) | wireType;
    }

    long readVarint() {
        long value = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            if (position == limit) {
                throw broken("a number ends too early");
            }
            byte b = source.get(ValueLayout.JAVA_BYTE, position++);
            value |= (b & 0x7FL) << (7 * i);
            if (b >= 0) {
                return value;
            }
        }
        throw broken("a number takes more than " + MAX_VARINT_BYTES + " bytes");
    }

    /// Reads the length of the delimited field that follows, and checks that the whole field is present.
    long readLength() {
        long length = readVarint();
        if (length < 0 || length > limit - position) {
            throw broken("a field of " + Long.toUnsignedString(length) + " bytes does not fit in the "
                    + (limit - position) + " that are left");
        }
        return length;
    }

    /// Limits the reader to the next `length` bytes, which [#readLength] returned; returns the argument for [#leave].
    long enter(long length) {
        long outer = limit;
        limit = position + length;
        return outer;
    }

    void leave(long outerLimit) {
        limit = outerLimit;
    }

    void skipBytes(long length) {
        position += length;
    }

    /// Skips the value of an unknown field.
    void skip(int tag) {
        switch (tag & 7) {
            case VARINT -> readVarint();
            case FIXED64 -> skipFixed(Long.BYTES);
            case LENGTH_DELIMITED -> skipBytes(readLength());
            case FIXED32 -> skipFixed(Integer.BYTES);
            default -> throw broken("the wire type " + (tag & 7) + " is not in use");
        }
    }

    private void skipFixed(int bytes) {
        if (bytes > limit - position) {
            throw broken("a field of " + bytes + " bytes ends too early");
        }
        position += bytes;
    }

    TransportException broken(String what) {
        return new TransportException(
                StatusCode.DATA_LOSS, "the serialised tensor is broken near byte " + position + ": " + what);
    }
}
