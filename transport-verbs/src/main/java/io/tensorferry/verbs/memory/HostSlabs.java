package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Slabs of host memory, each with one arena and one registration.
///
/// Threading: any thread; stateless.
///
/// @param memory allocates the memory
/// @param registrar registers the memory with the RDMA device
record HostSlabs(SlabMemory memory, MemoryRegistrar registrar) implements SlabSource {
    @Override
    public SlabStorage open(long bytes) {
        // A shared arena, because any thread uses the memory. The pool closes it; an automatic arena could end while
        // only a device or a peer holds the address.
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

        /// @throws IllegalStateException if a system call still uses the memory
        @Override
        public void free() {
            arena.close();
        }
    }
}
