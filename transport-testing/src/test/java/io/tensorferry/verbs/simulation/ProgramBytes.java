package io.tensorferry.verbs.simulation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A fuzzer's bytes, read as small numbers from the front; behind the end there are zeros, so that every input is a
/// program.
final class ProgramBytes {
    private final ByteBuffer bytes;

    ProgramBytes(byte[] bytes) {
        // Zeros for the largest number, so that reading one never has to look for the end.
        this.bytes = ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + Long.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(bytes.length);
    }

    boolean atEnd() {
        return !bytes.hasRemaining();
    }

    /// 0 to 255.
    int small() {
        return atEnd() ? 0 : bytes.get() & 0xFF;
    }

    /// 0 to `bound - 1`, at most 256 values.
    int below(int bound) {
        return small() % bound;
    }

    int number() {
        return (int) read(Integer.BYTES);
    }

    long longNumber() {
        return read(Long.BYTES);
    }

    /// Takes `count` bytes, or as many as are left.
    byte[] take(int count) {
        byte[] taken = new byte[Math.min(count, bytes.remaining())];
        bytes.get(taken);
        return taken;
    }

    private long read(int size) {
        int start = bytes.position();
        bytes.position(Math.min(bytes.limit(), start + size));
        int end = bytes.limit();
        bytes.limit(bytes.capacity());
        long value = size == Integer.BYTES ? bytes.getInt(start) : bytes.getLong(start);
        bytes.limit(end);
        return value;
    }
}
