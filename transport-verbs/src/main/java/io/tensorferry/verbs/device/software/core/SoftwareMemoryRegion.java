package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Registered memory. One key serves as local and as remote key.
///
/// Addresses are those of the segment. Memory exported by another driver keeps that driver's addresses.
///
/// Each address in a work request or a peer's request is converted to a slice of the registered segment. The segment
/// therefore checks each access again: its bounds, and whether the memory is still alive.
///
/// Threading: any thread. Payload is accessed on the loop, or under the protection of [DeviceLoop#awaitAccess()].
/// [#close()] waits for such accesses; afterwards nothing accesses the memory.
public final class SoftwareMemoryRegion implements MemoryRegion, KeyHolder, PayloadMemory {
    private final SoftwareProtectionDomain domain;
    private final MemorySegment memory;
    private final long base;
    private final @Nullable Arena mapping;
    private final int key;
    private final Set<AccessFlag> access;
    private final OpenChildren windows = new OpenChildren("memory region");
    private volatile boolean open = true;

    /// @param base the address of the first byte
    /// @param mapping the arena of a mapping that ends with the registration; null if the caller owns the memory
    SoftwareMemoryRegion(
            SoftwareProtectionDomain domain,
            MemorySegment memory,
            long base,
            @Nullable Arena mapping,
            int key,
            Set<AccessFlag> access) {
        this.domain = domain;
        this.memory = memory;
        this.base = base;
        this.mapping = mapping;
        this.key = key;
        this.access = access;
    }

    @Override
    public long address() {
        return base;
    }

    @Override
    public long byteSize() {
        return memory.byteSize();
    }

    @Override
    public int localKey() {
        return key;
    }

    @Override
    public int remoteKey() {
        return key;
    }

    /// False once closing has begun: a transfer in progress checks this before each access.
    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public MemorySegment slice(long address, long length) {
        return memory.asSlice(address - base, length);
    }

    @Override
    public void put(long address, MemorySegment source, long offset, long length) {
        MemorySegment.copy(source, offset, memory, address - base, length);
    }

    @Override
    public void take(long address, MemorySegment target, long offset, long length) {
        MemorySegment.copy(memory, address - base, target, offset, length);
    }

    SoftwareProtectionDomain domain() {
        return domain;
    }

    Set<AccessFlag> access() {
        return access;
    }

    /// Counts the windows bound to this region.
    OpenChildren windows() {
        return windows;
    }

    boolean grants(AccessFlag flag) {
        return access.contains(flag);
    }

    @Override
    public void close() {
        domain.deregister(this);
    }

    /// Unmaps memory exported by another driver. Nothing may access it any more.
    void unmap() {
        if (mapping != null) {
            mapping.close();
        }
    }

    /// @return false if already closed
    /// @throws io.tensorferry.verbs.device.VerbsException EBUSY if windows are bound to the region
    boolean markClosed() {
        boolean first = windows.close("ibv_dereg_mr");
        open = false;
        return first;
    }
}
