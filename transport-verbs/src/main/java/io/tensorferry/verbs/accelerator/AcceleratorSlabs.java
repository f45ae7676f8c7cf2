package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.SlabSource;
import io.tensorferry.verbs.memory.SlabStorage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Slabs of an accelerator's own memory, which the RDMA device does not know.
///
/// Threading: any thread; it holds no state.
record AcceleratorSlabs(Accelerator accelerator) implements SlabSource {
    @Override
    public SlabStorage open(long bytes) {
        return new AcceleratorSlab(accelerator.allocate(bytes));
    }

    private record AcceleratorSlab(DeviceMemory memory) implements SlabStorage {
        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long byteSize() {
            return memory.byteSize();
        }

        @Override
        public @Nullable MemorySegment segment() {
            return null;
        }

        @Override
        public @Nullable MemoryRegion region() {
            return null;
        }

        @Override
        public void deregister() {
            // No device reaches it by itself.
        }

        @Override
        public void free() {
            memory.close();
        }
    }
}
