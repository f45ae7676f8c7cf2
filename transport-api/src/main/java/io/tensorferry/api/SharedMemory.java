package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/// The reference-counted memory behind the handles of one tensor: freed, exactly once, when the last handle is closed.
final class SharedMemory {
    private final MemorySegment segment;
    private final Runnable onFree;
    private final AtomicInteger handles = new AtomicInteger(1);

    SharedMemory(MemorySegment segment, Runnable onFree) {
        this.segment = segment;
        this.onFree = onFree;
    }

    MemorySegment segment() {
        return segment;
    }

    /// The caller holds a handle, so the count cannot reach 0 meanwhile.
    void retain() {
        handles.getAndIncrement();
    }

    void release() {
        if (handles.decrementAndGet() == 0) {
            onFree.run();
        }
    }
}
