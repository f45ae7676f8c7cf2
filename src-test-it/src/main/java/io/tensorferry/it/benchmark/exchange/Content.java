package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The content of a benchmark's tensor. The bytes depend on their position and on the tensor's length, so that a tensor
/// of another length and shifted content are both detected.
public final class Content {
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private Content() {}

    /// Writes every byte, which also makes the system allocate every page.
    public static void fill(MemorySegment segment) {
        long bytes = segment.byteSize();
        long words = bytes / Long.BYTES;
        for (long i = 0; i < words; i++) {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, i * Long.BYTES, word(i, bytes));
        }
        for (long i = words * Long.BYTES; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) word(i, bytes));
        }
    }

    /// @throws IllegalStateException if `segment` has another length, or a byte differs from the output of [#fill]
    public static void check(MemorySegment segment, long bytes) {
        if (segment.byteSize() != bytes) {
            throw new IllegalStateException("a tensor of " + segment.byteSize() + " bytes arrived, not of " + bytes);
        }
        long words = bytes / Long.BYTES;
        for (long i = 0; i < words; i++) {
            if (segment.get(ValueLayout.JAVA_LONG_UNALIGNED, i * Long.BYTES) != word(i, bytes)) {
                throw differs(i * Long.BYTES, bytes);
            }
        }
        for (long i = words * Long.BYTES; i < bytes; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, i) != (byte) word(i, bytes)) {
                throw differs(i, bytes);
            }
        }
    }

    private static long word(long index, long bytes) {
        return (index + 1) * FACTOR + bytes;
    }

    private static IllegalStateException differs(long offset, long bytes) {
        return new IllegalStateException(
                "the content of a tensor of " + bytes + " bytes differs at or after byte " + offset);
    }
}
