package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import java.util.Set;

/// Memory that a message is to name to the peer, who writes or reads all of it.
///
/// @param region the registration that holds it
/// @param address of its first byte
/// @param length bytes, at least 1
/// @param access what the peer may do there
public record NamedMemory(MemoryRegion region, long address, long length, Set<AccessFlag> access) {
    private static final Set<AccessFlag> WRITES = Set.of(AccessFlag.REMOTE_WRITE);
    private static final Set<AccessFlag> READS = Set.of(AccessFlag.REMOTE_READ);

    /// That the peer writes.
    public NamedMemory(MemoryRegion region, long address, long length) {
        this(region, address, length, WRITES);
    }

    /// That the peer reads.
    public static NamedMemory toRead(MemoryRegion region, long address, long length) {
        return new NamedMemory(region, address, length, READS);
    }
}
