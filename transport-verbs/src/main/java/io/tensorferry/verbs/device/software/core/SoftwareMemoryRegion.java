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
/// Its addresses are those of the segment, or, of memory that another driver exported, that driver's.
///
/// An address of a work request or of a peer is always turned into a slice of the registered segment, so that each
/// access is checked once more by the segment itself: bounds, and whether the memory is still alive.
///
/// Threading: any thread. Payload goes in and out on the loop only, or where the loop sees to it that it is waited for
/// ([DeviceLoop#awaitAccess()]); [#close()] waits for it: afterwards nothing touches the memory.
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
    /// @param mapping of the memory, which ends with the registration; null if it is the caller's
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

    /// False from the moment that closing began: whoever is in the middle of a transfer asks again before each
    /// access.
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

    /// Counts the windows that are bound to it.
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

    /// Ends the mapping of memory that another driver exported. Nothing touches it any more.
    void unmap() {
        if (mapping != null) {
            mapping.close();
        }
    }

    /// @return false if it was closed before
    /// @throws io.tensorferry.verbs.device.VerbsException EBUSY if windows are bound to it
    boolean markClosed() {
        boolean first = windows.close("ibv_dereg_mr");
        open = false;
        return first;
    }
}
