package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/// The reference-counted memory behind the handles of one tensor: freed, exactly once, when the last handle is
/// closed.
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

    /// Counts one handle more, unless the last was closed already; returns whether it did.
    boolean retain() {
        int before = handles.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before > 0;
    }

    void release() {
        if (handles.decrementAndGet() == 0) {
            onFree.run();
        }
    }
}
