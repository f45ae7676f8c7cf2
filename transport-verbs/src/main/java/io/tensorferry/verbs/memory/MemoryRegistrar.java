package io.tensorferry.verbs.memory;

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
            if (e.errno() == VerbsException.ENOMEM) {
                throw new TransportException(
                        StatusCode.RESOURCE_EXHAUSTED,
                        "memory could not be registered: " + e.getMessage(),
                        null,
                        e.errno(),
                        e);
            }
            throw new TransportException(
                    StatusCode.INTERNAL,
                    memory.byteSize() + " bytes could not be registered with the device",
                    null,
                    e.errno(),
                    e);
        }
    }
}
