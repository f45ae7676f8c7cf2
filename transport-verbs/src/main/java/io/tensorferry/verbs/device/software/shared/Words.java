package io.tensorferry.verbs.device.software.shared;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/// Accesses words of memory that two processes share, with the necessary ordering: writes before a release are visible
/// after the matching acquire. Values from the other process are untrusted.
final class Words {
    private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

    private Words() {}

    static int getInt(MemorySegment memory, long at) {
        return (int) INTS.getVolatile(memory, at);
    }

    static void setInt(MemorySegment memory, long at, int value) {
        INTS.setVolatile(memory, at, value);
    }

    static void addInt(MemorySegment memory, long at, int value) {
        int _ = (int) INTS.getAndAdd(memory, at, value);
    }

    static void setIntBits(MemorySegment memory, long at, int bits) {
        int _ = (int) INTS.getAndBitwiseOr(memory, at, bits);
    }

    static void clearIntBits(MemorySegment memory, long at, int bits) {
        int _ = (int) INTS.getAndBitwiseAnd(memory, at, ~bits);
    }

    static long getAcquire(MemorySegment memory, long at) {
        return (long) LONGS.getAcquire(memory, at);
    }

    static long getVolatile(MemorySegment memory, long at) {
        return (long) LONGS.getVolatile(memory, at);
    }

    static void setRelease(MemorySegment memory, long at, long value) {
        LONGS.setRelease(memory, at, value);
    }

    static void setBits(MemorySegment memory, long at, long bits) {
        long _ = (long) LONGS.getAndBitwiseOr(memory, at, bits);
    }

    static long takeBits(MemorySegment memory, long at) {
        return (long) LONGS.getAndSet(memory, at, 0L);
    }
}
