package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of one slab and its registrations.
///
/// It ends in two steps, each called once by the pool: [#deregister()], then [#free()]. They are separate because an
/// address may be in use after all devices have lost access. Threading: any thread.
public interface SlabStorage {
    /// The address of the first byte in the address space of the memory's device, a multiple of 64; unique in this
    /// process.
    long address();

    /// The requested bytes.
    long byteSize();

    /// The memory; null if the processor cannot access it.
    @Nullable
    MemorySegment segment();

    /// The memory region; null if the memory is not registered with the RDMA device.
    @Nullable
    MemoryRegion region();

    /// Removes the registrations, so that no device can access the memory.
    ///
    /// @throws RuntimeException if a device may still access the memory, which is then never freed
    void deregister();

    /// Frees the memory; no device has access and no block is allocated.
    void free();
}
