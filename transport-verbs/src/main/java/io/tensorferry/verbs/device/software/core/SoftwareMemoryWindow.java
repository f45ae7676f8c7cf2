package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.support.WindowBinding;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A window of type 2B: it belongs to the queue pair on which it was bound.
///
/// There are two views of it. What was posted is the [WindowBinding]; what was carried out, and so what peers get
/// through, is the rest and belongs to the loop.
///
/// Threading: any thread; the rest on the loop only.
final class SoftwareMemoryWindow implements MemoryWindow, KeyHolder {
    private final SoftwareProtectionDomain domain;
    private final WindowBinding posted;
    private volatile boolean open = true;
    /// Null while nothing is bound.
    private @Nullable SoftwareMemoryRegion region;

    private @Nullable SoftwareQueuePair queuePair;
    private int key;
    private long address;
    private long length;
    private Set<AccessFlag> access = Set.of();
    private long binds;

    SoftwareMemoryWindow(SoftwareProtectionDomain domain, int firstKey) {
        this.domain = domain;
        this.posted = new WindowBinding(this, firstKey);
    }

    WindowBinding posted() {
        return posted;
    }

    SoftwareProtectionDomain domain() {
        return domain;
    }

    @Override
    public int remoteKey() {
        return posted.key();
    }

    @Override
    public boolean isBound() {
        return posted.isBound();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /// Carries out a bind that was posted.
    WorkStatus bind(SoftwareQueuePair owner, SendSlot slot) {
        SoftwareMemoryRegion target = slot.windowRegion;
        if (!open || region != null || target == null || !target.isOpen()) {
            return WorkStatus.MW_BIND_ERR;
        }
        region = target;
        queuePair = owner;
        key = slot.remoteKey;
        address = slot.localAddress;
        length = slot.length;
        access = slot.windowAccess;
        binds++;
        return WorkStatus.SUCCESS;
    }

    /// Carries out an invalidation that was posted.
    WorkStatus invalidate(SoftwareQueuePair owner) {
        if (!open || region == null || queuePair != owner) {
            return WorkStatus.LOC_QP_OP_ERR;
        }
        region = null;
        queuePair = null;
        // What comes in through it at this moment, outside the loop, comes to its next look at the window.
        domain.awaitAccess();
        return WorkStatus.SUCCESS;
    }

    /// The region behind the window, if the peer of `asking` may do this with all of these bytes; null if not.
    @Nullable
    SoftwareMemoryRegion admit(
            SoftwareQueuePair asking, int wantedKey, long at, long wantedLength, AccessFlag wantedAccess) {
        long offset = at - address;
        boolean allowed = region != null
                && region.isOpen()
                && key == wantedKey
                && queuePair == asking
                && offset >= 0
                && wantedLength <= length
                && offset <= length - wantedLength
                && access.contains(wantedAccess);
        return allowed ? region : null;
    }

    /// Counts what it was bound to.
    long binds() {
        return binds;
    }

    /// Whether what was bound as number `bind` still is.
    boolean isStillBound(long bind) {
        return region != null && binds == bind;
    }

    @Override
    public void close() {
        domain.deallocate(this);
    }

    /// On the loop.
    void end() {
        open = false;
        region = null;
        queuePair = null;
    }
}
