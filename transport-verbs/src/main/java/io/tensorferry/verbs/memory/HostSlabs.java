package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Slabs of host memory, each with one arena and one registration.
///
/// Threading: any thread; it holds no state.
///
/// @param memory where it comes from
/// @param registrar how the RDMA device is told of it
record HostSlabs(SlabMemory memory, MemoryRegistrar registrar) implements SlabSource {
    @Override
    public SlabStorage open(long bytes) {
        // Shared: any thread uses it. Closed by the pool; an automatic arena could end while only a device or a peer
        // knows the address.
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = memory.allocate(arena, bytes);
            if (bytes >= SlabPages.LEAST_BYTES) {
                SlabPages.populate(segment);
            }
            return new HostSlab(arena, segment, registrar.register(segment));
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private record HostSlab(Arena arena, MemorySegment segment, MemoryRegion region) implements SlabStorage {
        @Override
        public long address() {
            return segment.address();
        }

        @Override
        public long byteSize() {
            return segment.byteSize();
        }

        @Override
        public void deregister() {
            region.close();
        }

        /// @throws IllegalStateException if a system call uses the memory
        @Override
        public void free() {
            arena.close();
        }
    }
}
