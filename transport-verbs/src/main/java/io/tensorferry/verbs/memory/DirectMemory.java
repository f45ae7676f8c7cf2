package io.tensorferry.verbs.memory;

import io.tensorferry.api.Accelerator;
import io.tensorferry.verbs.device.MemoryRegion;

/// Direct access of the RDMA device to one accelerator's memory.
///
/// Threading: any thread; immutable.
public final class DirectMemory {
    private final Accelerator accelerator;
    private final DirectAccess access;
    private final MemoryRegistrar registrar;

    DirectMemory(Accelerator accelerator, DirectAccess access, MemoryRegistrar registrar) {
        this.accelerator = accelerator;
        this.access = access;
        this.registrar = registrar;
    }

    /// The way of access that was found.
    public DirectAccess access() {
        return access;
    }

    /// Registers accelerator memory with the same access for peers as slabs of host memory. The caller closes the
    /// region before it frees the memory.
    ///
    /// @throws IllegalArgumentException if the bytes span several allocations
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION` with the reasons if the device has no direct
    ///     access, `RESOURCE_EXHAUSTED` if the memory cannot be pinned, the accelerator's error if it rejects the call,
    ///     otherwise `INTERNAL`
    public MemoryRegion register(long address, long bytes) {
        return registrar.register(access, accelerator, address, bytes);
    }
}
