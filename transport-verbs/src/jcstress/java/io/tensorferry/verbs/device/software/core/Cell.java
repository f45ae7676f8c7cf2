package io.tensorferry.verbs.device.software.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/// Eight bytes of off-heap memory, read and written without any order, like the content of a tensor.
final class Cell {
    private static final int CELLS = 1 << 16;
    private static final int STRIDE = 64;
    // More cells than a run has states alive at once, so that no two of these share one.
    private static final MemorySegment MEMORY = Arena.global().allocate((long) CELLS * STRIDE, STRIDE);
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final long offset = (long) (NEXT.getAndIncrement() & (CELLS - 1)) * STRIDE;

    Cell() {
        put(0);
    }

    void put(long value) {
        MEMORY.set(ValueLayout.JAVA_LONG, offset, value);
    }

    long get() {
        return MEMORY.get(ValueLayout.JAVA_LONG, offset);
    }
}
