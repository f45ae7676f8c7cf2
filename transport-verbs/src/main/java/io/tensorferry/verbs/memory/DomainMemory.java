package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Host memory from the protection domain: off-heap Java memory, unless the device prefers another kind.
///
/// @param domain allocates the memory; slabs are registered with it afterwards
record DomainMemory(ProtectionDomain domain) implements SlabMemory {
    @Override
    public MemorySegment allocate(Arena arena, long bytes) {
        try {
            return domain.allocate(arena, bytes, PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "cannot allocate " + bytes
                            + " bytes of off-heap memory; the JVM limits it with -XX:MaxDirectMemorySize, by default to the size of"
                            + " the heap (-Xmx)",
                    e);
        }
    }
}
