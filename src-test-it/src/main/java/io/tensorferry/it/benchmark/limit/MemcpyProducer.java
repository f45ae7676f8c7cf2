package io.tensorferry.it.benchmark.limit;

import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.ServingThread;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Copies its tensor to each requested slot, on one thread that spins while it serves.
public final class MemcpyProducer implements TensorProducer {
    private final SharedMemory shared;
    private final ServingThread thread;
    private final long[] filled = new long[SharedMemory.MOST_SLOTS];
    private @Nullable Arena arena;
    private MemorySegment source = MemorySegment.NULL;
    private MemorySegment slots = MemorySegment.NULL;
    private long layout;
    private int slotCount;
    private long stride;

    /// @param port the port of the pair, which names its files
    public MemcpyProducer(int port) {
        this.shared = new SharedMemory(port);
        this.thread = new ServingThread("memcpy", this::turn);
    }

    @Override
    public void serve(long bytes) throws InterruptedException {
        thread.resume();
    }

    @Override
    public void rest() throws InterruptedException {
        thread.pause();
    }

    private void turn() {
        long newest = shared.layout();
        if (newest != layout) {
            map();
            layout = newest;
            shared.acceptLayout(newest);
        }
        for (int slot = 0; slot < slotCount; slot++) {
            long asked = shared.asked(slot);
            if (asked != filled[slot]) {
                MemorySegment.copy(source, 0, slots, slot * stride, source.byteSize());
                filled[slot] = asked;
                shared.fill(slot, asked);
            }
        }
        Thread.onSpinWait();
    }

    private void map() {
        if (arena != null) {
            arena.close();
        }
        arena = Arena.ofConfined();
        slotCount = shared.slots();
        stride = SharedMemory.stride(shared.bytes());
        source = arena.allocate(Math.max(1, shared.bytes()), SharedMemory.stride(0))
                .asSlice(0, shared.bytes());
        Content.fill(source);
        slots = shared.mapSlots(shared.bytes(), slotCount, arena);
        // Touches every page in this process too.
        slots.fill((byte) 0);
    }

    @Override
    public void close() {
        thread.close();
    }
}
