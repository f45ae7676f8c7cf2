package io.tensorferry.verbs.device.support;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Tracks the binding of a memory window from its posted work requests. For implementations of a device: it rejects
/// early what a device would reject by failing the whole queue pair, or what some drivers would not detect.
///
/// Threading: any thread; binds and invalidations of a window are posted under the lock of its send queue.
public final class WindowBinding {
    private static final int COUNTED_BITS = 0xFF;
    private static final String VERB = "ibv_post_send";

    private final MemoryWindow window;
    private volatile int key;
    private boolean closed;
    private @Nullable BoundWindows boundOn;
    private @Nullable OpenChildren region;
    /// The index in the queue pair's list, owned by that list.
    int position;

    /// @param firstKey the rkey before the first bind
    public WindowBinding(MemoryWindow window, int firstKey) {
        this.window = window;
        this.key = firstKey;
    }

    /// Checks whether part of a region may be bound.
    ///
    /// @param regionAccess the access with which the region was registered
    /// @param mostBytes the device's maximum window size
    /// @throws VerbsException EINVAL if not; EOPNOTSUPP if the range is larger than `mostBytes`
    public static void check(
            SendWorkRequest request, MemoryRegion region, Set<AccessFlag> regionAccess, long mostBytes) {
        if (!regionAccess.contains(AccessFlag.MW_BIND)) {
            throw refused("the region was registered without MW_BIND");
        }
        for (AccessFlag flag : request.windowAccess) {
            if (flag != AccessFlag.REMOTE_WRITE && flag != AccessFlag.REMOTE_READ) {
                throw refused(flag + " is not valid for a memory window");
            }
        }
        if (request.windowAccess.contains(AccessFlag.REMOTE_WRITE) && !regionAccess.contains(AccessFlag.LOCAL_WRITE)) {
            throw refused("a window for remote writes needs a region that was registered with LOCAL_WRITE");
        }
        if (request.length < 1 || !region.contains(request.localAddress, request.length)) {
            throw refused("the window's %d bytes from %#x must be 1 or more, all inside the region"
                    .formatted(request.length, request.localAddress));
        }
        if (request.length > mostBytes) {
            throw new VerbsException(
                    VERB,
                    VerbsException.EOPNOTSUPP,
                    "a window of " + request.length + " bytes exceeds the device's limit of " + mostBytes);
        }
    }

    public int key() {
        return key;
    }

    public synchronized boolean isBound() {
        return boundOn != null;
    }

    /// Returns the rkey of the next bind, which differs in its low 8 bits.
    ///
    /// @throws VerbsException EINVAL if the window is bound or closed
    public synchronized int nextKey() {
        if (closed) {
            throw refused("the window is closed");
        }
        if (boundOn != null) {
            throw refused("the window is bound");
        }
        return (key & ~COUNTED_BITS) | ((key + 1) & COUNTED_BITS);
    }

    /// Records a posted bind.
    ///
    /// @param queuePair the bound windows of the queue pair on which it was posted
    /// @param newKey the result of [#nextKey()]
    /// @param windowsOfRegion counts the windows bound to the region; the caller has added this one
    public synchronized void bound(BoundWindows queuePair, int newKey, OpenChildren windowsOfRegion) {
        key = newKey;
        boundOn = queuePair;
        region = windowsOfRegion;
        queuePair.add(this);
    }

    /// @throws VerbsException EINVAL unless the window is bound on this queue pair
    public synchronized void requireBound(BoundWindows queuePair) {
        if (boundOn != queuePair) {
            throw refused(boundOn == null ? "the window is not bound" : "the window is bound on another queue pair");
        }
    }

    /// Records a posted invalidation.
    public synchronized void unbound() {
        if (boundOn != null) {
            boundOn.remove(this);
            boundOn = null;
        }
        if (region != null) {
            region.remove();
            region = null;
        }
    }

    /// Prevents further binds. The region counts the window until [#unbound()], which the caller calls once the device
    /// has deallocated the window.
    ///
    /// @return false if it was closed before
    public synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /// @see MemoryWindow#close()
    void closeWindow() {
        window.close();
    }

    private static VerbsException refused(String detail) {
        return new VerbsException(VERB, VerbsException.EINVAL, detail);
    }
}
