package io.tensorferry.it.benchmark.limit;

import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sets a word in shared memory and spins until the producer has copied the tensor to the slot. For one thread.
public final class MemcpyConsumer implements TensorConsumer {
    private final SharedMemory shared;
    private final long[] asked = new long[SharedMemory.MOST_SLOTS];
    private final @Nullable Arrival[] waiting = new Arrival[SharedMemory.MOST_SLOTS];
    private List<MemorySegment> contents = List.of();
    private @Nullable Arena arena;
    private long bytes = -1;

    /// @param port the port of the pair, which names its files
    public MemcpyConsumer(int port) {
        this.shared = new SharedMemory(port);
    }

    @Override
    public String device() {
        return "shared memory";
    }

    @Override
    public void begin(long bytes, int count, int slots) {
        if (bytes == this.bytes && slots <= contents.size()) {
            return;
        }
        if (arena != null) {
            arena.close();
        }
        arena = Arena.ofConfined();
        // Touches every page, so that no copy has to.
        MemorySegment memory = shared.mapSlots(bytes, slots, arena).fill((byte) 0);
        var segments = new ArrayList<MemorySegment>();
        for (int slot = 0; slot < slots; slot++) {
            segments.add(memory.asSlice(slot * SharedMemory.stride(bytes), bytes));
        }
        this.contents = segments;
        this.bytes = bytes;
        shared.announce(bytes, slots);
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        waiting[slot] = arrival;
        asked[slot]++;
        shared.ask(slot, asked[slot]);
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void progress() {
        for (int slot = 0; slot < contents.size(); slot++) {
            Arrival arrival = waiting[slot];
            if (arrival != null && shared.filled(slot) == asked[slot]) {
                waiting[slot] = null;
                arrival.arrived(contents.get(slot));
                arrival.slotIsFree();
            }
        }
        Thread.onSpinWait();
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
        }
        shared.delete();
    }
}
