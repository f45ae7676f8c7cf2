package io.tensorferry.verbs.device.software.core;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What one request of a peer may touch: a range of a region, or of what a window was bound to when the request was
/// admitted. It ends when the region is closed or the window is bound to that no more, also in the middle of a
/// transfer.
///
/// One object serves all requests of a responder, one after the other. Threading: on the loop only.
public final class RemoteAccess implements PayloadMemory {
    private @Nullable SoftwareMemoryRegion region;
    private @Nullable SoftwareMemoryWindow window;
    /// Which of the window's binds it was.
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
