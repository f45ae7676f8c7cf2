package io.tensorferry.verbs.rendezvous.strings;

import io.tensorferry.api.DataType;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The elements of a string tensor, read and written in place. The memory has the layout of [Tensor#toStrings()]: `n +
/// 1` offsets, then the bytes.
///
/// The memory is untrusted, so every offset is checked before use.
final class StringElements {
    private static final ValueLayout.OfLong OFFSET = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final long count;

    /// @throws TransportException `INVALID_ARGUMENT` if the memory cannot hold the offsets
    StringElements(Tensor tensor) {
        if (tensor.dataType() != DataType.STRING) {
            throw new IllegalArgumentException(
                    "a " + tensor.dataType() + " tensor is sent as raw bytes, not in serialised form");
        }
        this.memory = tensor.segment();
        this.count = tensor.shape().elementCount();
        if (count > memory.byteSize() / Long.BYTES - 1) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    tensor + " has no room for the " + count + " + 1 offsets of its elements");
        }
    }

    /// Returns the memory size of `count` elements with `bytes` bytes in total.
    static long byteSize(long count, long bytes) {
        return Long.BYTES * (count + 1) + bytes;
    }

    long count() {
        return count;
    }

    /// @throws TransportException `INVALID_ARGUMENT` if the offsets of element `i` are not within the memory
    long length(long i) {
        long from = offset(i);
        long to = offset(i + 1);
        if (from < 0 || to < from || to > memory.byteSize() - start()) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    "element " + i + " of a string tensor claims the range [" + from + ", " + to + ") of "
                            + (memory.byteSize() - start()) + " bytes");
        }
        return to - from;
    }

    /// Copies element `i`, of the size that [#length] returned, to `target` at `position`.
    void copyTo(long i, long length, MemorySegment target, long position) {
        MemorySegment.copy(memory, start() + offset(i), target, position, length);
    }

    /// Sets the start of element `i`, or for `i == count()` the end of the last element.
    void setOffset(long i, long offset) {
        memory.setAtIndex(OFFSET, i, offset);
    }

    /// The memory for the bytes of all elements.
    MemorySegment bytes() {
        return memory.asSlice(start());
    }

    private long offset(long i) {
        return memory.getAtIndex(OFFSET, i);
    }

    private long start() {
        return byteSize(count, 0);
    }
}
