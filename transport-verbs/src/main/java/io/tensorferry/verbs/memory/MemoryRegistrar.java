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

/// Registers memory with one protection domain, and reports failures with a remedy.
///
/// Threading: any thread; stateless. Registration pins every page, which takes milliseconds for a slab.
final class MemoryRegistrar {
    private final ProtectionDomain domain;
    private final Set<AccessFlag> access;

    /// @param access access to memory that is not read-only
    MemoryRegistrar(ProtectionDomain domain, Set<AccessFlag> access) {
        this.domain = domain;
        this.access = access;
    }

    /// @param memory off-heap; read-only memory is registered for reading only
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the memory cannot be pinned, `INTERNAL` if the device rejects
    ///     it for another reason
    MemoryRegion register(MemorySegment memory) {
        try {
            return domain.register(memory, memory.isReadOnly() ? Set.of() : access);
        } catch (VerbsException e) {
            throw asFailure(e, memory.byteSize() + " bytes");
        }
    }

    /// Registers an accelerator's memory.
    ///
    /// @throws TransportException as for host memory, and the accelerator's error
    MemoryRegion register(DirectAccess way, Accelerator accelerator, long address, long bytes) {
        try {
            return way.register(domain, accelerator, address, bytes, access);
        } catch (VerbsException e) {
            throw asFailure(e, bytes + " bytes of " + accelerator);
        }
    }

    /// Determines how the device accesses the accelerator's memory.
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
