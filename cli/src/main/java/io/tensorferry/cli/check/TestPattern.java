package io.tensorferry.cli.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A byte pattern that detects missing and misplaced bytes: any two neighbouring 8-byte words differ, and so do the
/// patterns of the two directions.
final class TestPattern {
    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;
    // Both ends must see the same bytes, regardless of their processors' byte order.
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private TestPattern() {}

    /// @param seed the seed of the direction
    static void fill(MemorySegment segment, int seed) {
        long size = segment.byteSize();
        long value = seed;
        long offset = 0;
        for (; offset + Long.BYTES <= size; offset += Long.BYTES) {
            value += STEP;
            segment.set(WORD, offset, value);
        }
        for (; offset < size; offset++) {
            value += STEP;
            segment.set(ValueLayout.JAVA_BYTE, offset, (byte) (value >>> 56));
        }
    }

    /// The pattern in newly allocated memory, for comparison.
    static MemorySegment of(long bytes, int seed, Arena arena) {
        MemorySegment segment = arena.allocate(bytes);
        fill(segment, seed);
        return segment;
    }
}
