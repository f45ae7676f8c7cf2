package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// The elements of a string tensor in memory: `n + 1` offsets of 8 bytes (little-endian, from the end of the offsets), then the bytes of all elements.
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

    static List<byte[]> read(MemorySegment memory, long elementCount) {
        long start = Long.BYTES * (elementCount + 1);
        var elements = new ArrayList<byte[]>(Math.toIntExact(elementCount));
        for (long i = 0; i < elementCount; i++) {
            long from = memory.getAtIndex(OFFSET, i);
            long to = memory.getAtIndex(OFFSET, i + 1);
            elements.add(memory.asSlice(start + from, to - from).toArray(ValueLayout.JAVA_BYTE));
        }
        return elements;
    }
}
