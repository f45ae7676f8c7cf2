package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.support.WindowBinding;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A memory window of type 2B, which belongs to the queue pair on which it was bound.
///
/// The [WindowBinding] describes the posted state. The other fields describe the executed state, through which peers
/// obtain access; they belong to the loop.
///
/// Threading: any thread for the posted state; on the loop for the executed state.
final class SoftwareMemoryWindow implements MemoryWindow, KeyHolder {
    private final SoftwareProtectionDomain domain;
    private final WindowBinding posted;
    private volatile boolean open = true;
    /// Null while the window is unbound.
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

    /// Executes a posted bind.
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

    /// Executes a posted invalidation.
    WorkStatus invalidate(SoftwareQueuePair owner) {
        if (!open || region == null || queuePair != owner) {
            return WorkStatus.LOC_QP_OP_ERR;
        }
        region = null;
        queuePair = null;
        // A copy in progress outside the loop checks the window again before its next step.
        domain.awaitAccess();
        return WorkStatus.SUCCESS;
    }

    /// The region behind the window; null if the peer of `asking` has no such access to all of these bytes.
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

    /// The number of the current binding.
    long binds() {
        return binds;
    }

    /// Whether binding number `bind` is still in effect.
    boolean isStillBound(long bind) {
        return region != null && binds == bind;
    }

    @Override
    public void close() {
        domain.deallocate(this);
    }

    /// Ends the window. On the loop.
    void end() {
        open = false;
        region = null;
        queuePair = null;
    }
}
