package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

/// Registered memory. One key serves as local and as remote key.
///
/// An address of a work request or of a peer is always turned into a slice of the registered segment, so that each
/// access is checked once more by the segment itself: bounds, and whether the memory is still alive.
///
/// Threading: any thread. Payload goes in and out on the loop only, and [#close()] waits for the loop: afterwards
/// nothing touches the memory.
public final class SoftwareMemoryRegion implements MemoryRegion {
    /// The largest view at once; a [ByteBuffer] ends below 2 GiB.
    public static final long MAX_VIEW_BYTES = 1L << 30;

    private final SoftwareProtectionDomain domain;
    private final MemorySegment memory;
    private final int key;
    private final Set<AccessFlag> access;
    private volatile boolean open = true;

    SoftwareMemoryRegion(SoftwareProtectionDomain domain, MemorySegment memory, int key, Set<AccessFlag> access) {
        this.domain = domain;
        this.memory = memory;
        this.key = key;
        this.access = access;
    }

    @Override
    public long address() {
        return memory.address();
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
    public boolean isOpen() {
        return open;
    }

    /// The bytes at an address, without a copy. On the loop, and not kept beyond the region's end.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in this region
    public MemorySegment slice(long address, long length) {
        return memory.asSlice(address - memory.address(), length);
    }

    /// The bytes at an address, at most [#MAX_VIEW_BYTES] of them, as a direct buffer without a copy.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in this region
    public ByteBuffer view(long address, long length) {
        return slice(address, Math.min(length, MAX_VIEW_BYTES)).asByteBuffer();
    }

    SoftwareProtectionDomain domain() {
        return domain;
    }

    boolean grants(AccessFlag flag) {
        return access.contains(flag);
    }

    @Override
    public void close() {
        domain.deregister(this);
    }

    /// @return false if it was closed before
    synchronized boolean markClosed() {
        boolean first = open;
        open = false;
        return first;
    }
}
