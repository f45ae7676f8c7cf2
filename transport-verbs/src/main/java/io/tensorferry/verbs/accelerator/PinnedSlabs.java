package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.HostPin;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.SlabSource;
import io.tensorferry.verbs.memory.SlabStorage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Slabs of host memory that is also pinned for an accelerator.
///
/// Threading: any thread; stateless.
///
/// @param host source of slabs registered with the RDMA device
record PinnedSlabs(SlabSource host, Accelerator accelerator) implements SlabSource {
    @Override
    public SlabStorage open(long bytes) {
        SlabStorage slab = host.open(bytes);
        try {
            MemorySegment segment = slab.segment();
            if (segment == null) {
                throw new IllegalStateException("a slab to be pinned must be in host memory");
            }
            return new PinnedSlab(slab, accelerator.pin(segment));
        } catch (RuntimeException e) {
            slab.deregister();
            slab.free();
            throw e;
        }
    }

    private record PinnedSlab(SlabStorage slab, HostPin pin) implements SlabStorage {
        @Override
        public long address() {
            return slab.address();
        }

        @Override
        public long byteSize() {
            return slab.byteSize();
        }

        @Override
        public @Nullable MemorySegment segment() {
            return slab.segment();
        }

        @Override
        public @Nullable MemoryRegion region() {
            return slab.region();
        }

        /// Unpins from the accelerator first: if that fails, the memory stays registered with the RDMA device but is
        /// never freed, which is harmless.
        @Override
        public void deregister() {
            pin.close();
            slab.deregister();
        }

        @Override
        public void free() {
            slab.free();
        }
    }
}
