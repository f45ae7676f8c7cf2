package io.tensorferry.verbs.memory;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// Registers memory with one protection domain, and says what to do where that fails.
///
/// Threading: any thread; it holds no state. Registration pins every page: milliseconds for a slab.
final class MemoryRegistrar {
    private final ProtectionDomain domain;
    private final Set<AccessFlag> access;

    /// @param access to memory that is not read-only
    MemoryRegistrar(ProtectionDomain domain, Set<AccessFlag> access) {
        this.domain = domain;
        this.access = access;
    }

    /// @param memory off-heap; if it is read-only, the device only reads it
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the memory cannot be pinned, `INTERNAL` if the device
    ///     refuses for another reason
    MemoryRegion register(MemorySegment memory) {
        try {
            return domain.register(memory, memory.isReadOnly() ? Set.of() : access);
        } catch (VerbsException e) {
            throw asFailure(e, memory.byteSize() + " bytes");
        }
    }

    /// Registers an accelerator's memory.
    ///
    /// @throws TransportException the same, and what the accelerator says
    MemoryRegion register(DirectAccess way, Accelerator accelerator, long address, long bytes) {
        try {
            return way.register(domain, accelerator, address, bytes, access);
        } catch (VerbsException e) {
            throw asFailure(e, bytes + " bytes of " + accelerator);
        }
    }

    /// Finds out how.
    DirectAccess tryOut(Accelerator accelerator) {
        return DirectAccess.tryOut(domain, accelerator, access);
    }

    private static TransportException asFailure(VerbsException e, String memory) {
        if (e.errno() == VerbsException.ENOMEM) {
            return new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "memory could not be registered: " + e.getMessage(),
                    null,
                    e.errno(),
                    e);
        }
        return new TransportException(
                StatusCode.INTERNAL, memory + " could not be registered with the device", null, e.errno(), e);
    }
}
