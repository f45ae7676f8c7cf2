package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// The memory layout of a string tensor: `n + 1` little-endian offsets of 8 bytes, relative to the end of the offsets,
/// then the bytes of all elements.
final class StringLayout {
    private static final ValueLayout.OfLong OFFSET = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private StringLayout() {}

    static long byteSize(List<byte[]> elements) {
        long size = Long.BYTES * (elements.size() + 1L);
        for (byte[] element : elements) {
            size += element.length;
        }
        return size;
    }

    static void write(MemorySegment memory, List<byte[]> elements) {
        long start = Long.BYTES * (elements.size() + 1L);
        long offset = 0;
        for (int i = 0; i < elements.size(); i++) {
            byte[] element = elements.get(i);
            memory.setAtIndex(OFFSET, i, offset);
            MemorySegment.copy(element, 0, memory, ValueLayout.JAVA_BYTE, start + offset, element.length);
            offset += element.length;
        }
        memory.setAtIndex(OFFSET, elements.size(), offset);
    }

    /// @throws IllegalStateException if the memory does not contain `elementCount` valid elements: the content may come
    ///     from a peer, so it is not trusted
    static List<byte[]> read(MemorySegment memory, long elementCount) {
        if (elementCount == 0) {
            return List.of();
        }
        // Cannot overflow, and refuses a corrupt count before the list is allocated.
        if (elementCount > memory.byteSize() / Long.BYTES - 1) {
            throw new IllegalStateException("the memory of a string tensor of " + elementCount
                    + " elements is corrupt: it has only " + memory.byteSize() + " bytes");
        }
        if (elementCount > Integer.MAX_VALUE) {
            throw new IllegalStateException(elementCount + " strings do not fit in a list; use segment()");
        }
        MemorySegment content = memory.asSlice(Long.BYTES * (elementCount + 1));
        var elements = new ArrayList<byte[]>((int) elementCount);
        long from = memory.getAtIndex(OFFSET, 0);
        for (long i = 0; i < elementCount; i++) {
            long to = memory.getAtIndex(OFFSET, i + 1);
            if (from < 0 || to < from || to > content.byteSize()) {
                throw new IllegalStateException("the memory of a string tensor is corrupt: element " + i + " is at ["
                        + from + ", " + to + ") of " + content.byteSize() + " bytes");
            }
            elements.add(elementAt(content, from, to));
            from = to;
        }
        return elements;
    }

    private static byte[] elementAt(MemorySegment content, long from, long to) {
        if (to - from > Integer.MAX_VALUE) {
            throw new IllegalStateException(
                    "a string of " + (to - from) + " bytes does not fit in an array; use segment()");
        }
        return content.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
    }
}
