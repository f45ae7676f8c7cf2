package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_mr;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// An `ibv_mr`.
///
/// Threading: any thread.
final class IbverbsMemoryRegion implements MemoryRegion {
    private final IbverbsProtectionDomain domain;
    private final MemorySegment region;
    private final long address;
    private final long byteSize;
    private final int localKey;
    private final int remoteKey;
    private final Set<AccessFlag> access;
    private final OpenChildren windows = new OpenChildren("memory region");

    IbverbsMemoryRegion(
            IbverbsProtectionDomain domain, MemorySegment region, long address, long byteSize, Set<AccessFlag> access) {
        this.domain = domain;
        this.region = region;
        this.address = address;
        this.byteSize = byteSize;
        this.access = Set.copyOf(access);
        this.localKey = ibv_mr.lkey(region);
        this.remoteKey = ibv_mr.rkey(region);
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        return remoteKey;
    }

    IbverbsProtectionDomain domain() {
        return domain;
    }

    MemorySegment pointer() {
        return region;
    }

    Set<AccessFlag> access() {
        return access;
    }

    /// Counts the memory windows bound to the region.
    OpenChildren windows() {
        return windows;
    }

    @Override
    public void close() {
        if (windows.close("ibv_dereg_mr")) {
            domain.hide(localKey);
            int result = Ibverbs.ibv_dereg_mr(region);
            domain.forgetRegion();
            VerbsCheck.returnedErrno(
                    "ibv_dereg_mr", result, () -> "the region of " + byteSize + " bytes stays registered");
        }
    }
}
