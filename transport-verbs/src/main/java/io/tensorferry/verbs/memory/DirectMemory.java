package io.tensorferry.verbs.memory;

import io.tensorferry.api.Accelerator;
import io.tensorferry.verbs.device.MemoryRegion;

/// The memory of one accelerator as the RDMA device reaches it by itself, or does not.
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

    /// What was found out.
    public DirectAccess access() {
        return access;
    }

    /// Registers memory of the accelerator as slabs of host memory are registered, so that peers get at it in the same
    /// way. The caller closes the region before the memory is freed.
    ///
    /// @throws IllegalArgumentException if the bytes are not all of one allocation
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION` with the reasons if the device does not
    ///     reach it, `RESOURCE_EXHAUSTED` if it cannot be pinned, what the accelerator says if that refuses, otherwise
    ///     `INTERNAL`
    public MemoryRegion register(long address, long bytes) {
        return registrar.register(access, accelerator, address, bytes);
    }
}
