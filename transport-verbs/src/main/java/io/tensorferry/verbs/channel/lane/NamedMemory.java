package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import java.util.Set;

/// Memory that a message names to the peer, which writes or reads all of it.
///
/// @param region the memory region that contains it
/// @param address address of its first byte
/// @param length bytes, at least 1
/// @param access the access granted to the peer
public record NamedMemory(MemoryRegion region, long address, long length, Set<AccessFlag> access) {
    private static final Set<AccessFlag> WRITES = Set.of(AccessFlag.REMOTE_WRITE);
    private static final Set<AccessFlag> READS = Set.of(AccessFlag.REMOTE_READ);

    /// Memory that the peer writes.
    public NamedMemory(MemoryRegion region, long address, long length) {
        this(region, address, length, WRITES);
    }

    /// Memory that the peer reads.
    public static NamedMemory toRead(MemoryRegion region, long address, long length) {
        return new NamedMemory(region, address, length, READS);
    }
}
