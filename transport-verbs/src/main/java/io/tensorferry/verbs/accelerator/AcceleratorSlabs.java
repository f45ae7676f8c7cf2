package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.DirectMemory;
import io.tensorferry.verbs.memory.SlabSource;
import io.tensorferry.verbs.memory.SlabStorage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Slabs of accelerator memory, registered with the RDMA device if it has direct access.
///
/// Threading: any thread; stateless.
///
/// @param direct registers the memory with the RDMA device
record AcceleratorSlabs(Accelerator accelerator, DirectMemory direct) implements SlabSource {
    /// Exports cover whole pages of the accelerator, which must hold no other memory.
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
