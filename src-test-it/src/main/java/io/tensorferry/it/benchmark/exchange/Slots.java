package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Off-heap memory for the maximum number of outstanding tensors of one length; reused between runs.
///
/// Threading: one thread calls `provide`, while no request is outstanding; any thread calls the other methods.
public final class Slots {
    private static final int PAGE = 4096;

    private @Nullable Arena arena;
    private volatile List<MemorySegment> segments = List.of();
    private volatile List<ByteBuffer> buffers = List.of();
    private volatile long bytes = -1;

    /// Provides `count` page-aligned slots of `bytes` bytes each. Touches every page.
    public void provide(long bytes, int count) {
        if (bytes == this.bytes && count <= segments.size()) {
            return;
        }
        if (arena != null) {
            arena.close();
        }
        Arena fresh = Arena.ofShared();
        var newSegments = new ArrayList<MemorySegment>();
        for (int i = 0; i < count; i++) {
            newSegments.add(
                    fresh.allocate(Math.max(1, bytes), PAGE).asSlice(0, bytes).fill((byte) 0));
        }
        arena = fresh;
        segments = List.copyOf(newSegments);
        buffers = newSegments.stream().map(MemorySegment::asByteBuffer).toList();
        this.bytes = bytes;
    }

    /// Provides one slot with the content of a tensor.
    public void provideSource(long bytes) {
        if (bytes != this.bytes) {
            provide(bytes, 1);
            Content.fill(segment(0));
        }
    }

    /// The size of each slot.
    public long bytes() {
        return bytes;
    }

    public MemorySegment segment(int slot) {
        return segments.get(slot);
    }

    /// The slot's memory as a buffer, whose position belongs to the user of the slot.
    public ByteBuffer buffer(int slot) {
        return buffers.get(slot);
    }
}
