package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.DirectMemory;
import io.tensorferry.verbs.memory.SlabSource;
import io.tensorferry.verbs.memory.SlabStorage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Slabs of an accelerator's own memory, which the RDMA device knows where it reaches that memory by itself.
///
/// Threading: any thread; it holds no state.
///
/// @param direct how the RDMA device is told of it
record AcceleratorSlabs(Accelerator accelerator, DirectMemory direct) implements SlabSource {
    /// What is exported are pages of the accelerator; they are to hold nothing else.
    private static final long PAGE_BYTES = 64 << 10;

    @Override
    public SlabStorage open(long bytes) {
        if (!direct.access().isPossible()) {
            return new AcceleratorSlab(accelerator.allocate(bytes), bytes, null);
        }
        DeviceMemory memory = accelerator.allocate((bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
        try {
            return new AcceleratorSlab(memory, bytes, direct.register(memory.address(), bytes));
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    private record AcceleratorSlab(
            DeviceMemory memory, long byteSize, @Nullable MemoryRegion region) implements SlabStorage {
        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public @Nullable MemorySegment segment() {
            return null;
        }

        @Override
        public void deregister() {
            if (region != null) {
                region.close();
            }
        }

        @Override
        public void free() {
            memory.close();
        }
    }
}
