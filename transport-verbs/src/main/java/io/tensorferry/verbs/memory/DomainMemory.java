package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Host memory as the protection domain allocates it: off-heap memory of Java, unless the device prefers another kind.
///
/// @param domain the slabs are registered with it afterwards
record DomainMemory(ProtectionDomain domain) implements SlabMemory {
    @Override
    public MemorySegment allocate(Arena arena, long bytes) {
        try {
            return domain.allocate(arena, bytes, PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "no " + bytes
                            + " bytes of off-heap memory; the JVM limits it with -XX:MaxDirectMemorySize, by default to the size of"
                            + " the heap (-Xmx)",
                    e);
        }
    }
}
