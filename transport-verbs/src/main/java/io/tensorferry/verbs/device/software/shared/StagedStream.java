package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.verbs.device.software.core.PayloadMemory;
import java.lang.foreign.MemorySegment;

/// A stream of bytes in a [RingFile]. Byte number `count` lies at `count` modulo the stream's size.
///
/// @param ring the whole file
/// @param start the stream's offset in the file
/// @param size the stream's size in bytes, a power of two
record StagedStream(MemorySegment ring, long start, int size) {
    /// Payloads begin at cache lines.
    private static final long LINE_BYTES = 64;

    static long align(long count) {
        return count + LINE_BYTES - 1 & -LINE_BYTES;
    }

    /// Copies payload into the stream, from byte `count` on.
    void put(long count, PayloadMemory memory, long address, long length) {
        long place = count & size - 1;
        long first = Math.min(length, size - place);
        memory.take(address, ring, start + place, first);
        if (first < length) {
            memory.take(address + first, ring, start, length - first);
        }
    }

    /// Copies payload out of the stream, from byte `count` on.
    void take(long count, PayloadMemory memory, long address, long length) {
        long place = count & size - 1;
        long first = Math.min(length, size - place);
        memory.put(address, ring, start + place, first);
        if (first < length) {
            memory.put(address + first, ring, start, length - first);
        }
    }
}
