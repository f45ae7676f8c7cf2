package io.tensorferry.verbs.device.software.core;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory that one request of a peer may access: a range of a region, or of a window's binding at the time of
/// admission. Access ends when the region is closed or that binding ends, even in the middle of a transfer.
///
/// One object serves all requests of a responder, one at a time. Threading: on the loop only.
public final class RemoteAccess implements PayloadMemory {
    private @Nullable SoftwareMemoryRegion region;
    private @Nullable SoftwareMemoryWindow window;
    /// The number of the window's binding at admission.
    private long bind;

    RemoteAccess() {}

    void grant(SoftwareMemoryRegion newRegion, @Nullable SoftwareMemoryWindow through) {
        region = newRegion;
        window = through;
        bind = through == null ? 0 : through.binds();
    }

    @Override
    public boolean isOpen() {
        SoftwareMemoryRegion at = region;
        SoftwareMemoryWindow through = window;
        return at != null && at.isOpen() && (through == null || through.isStillBound(bind));
    }

    @Override
    public MemorySegment slice(long address, long length) {
        return granted().slice(address, length);
    }

    @Override
    public void put(long address, MemorySegment source, long offset, long length) {
        granted().put(address, source, offset, length);
    }

    @Override
    public void take(long address, MemorySegment target, long offset, long length) {
        granted().take(address, target, offset, length);
    }

    private SoftwareMemoryRegion granted() {
        SoftwareMemoryRegion at = region;
        if (at == null) {
            throw new IllegalStateException("no request was admitted");
        }
        return at;
    }
}
