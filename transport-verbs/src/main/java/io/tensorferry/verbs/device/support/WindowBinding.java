package io.tensorferry.verbs.device.support;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is known of a memory window from the work requests that were posted for it, for those who implement a device:
/// it refuses at once what a device would refuse later by failing the whole queue pair, or, as some drivers, would not
/// notice at all.
///
/// Threading: any thread; a window's binds and invalidations come from those who hold the lock of its send queue.
public final class WindowBinding {
    private static final int COUNTED_BITS = 0xFF;
    private static final String VERB = "ibv_post_send";

    private final MemoryWindow window;
    private volatile int key;
    private boolean closed;
    private @Nullable BoundWindows boundOn;
    private @Nullable OpenChildren region;
    /// Where it is in the list of its queue pair; that list's.
    int position;

    /// @param firstKey the key before the first bind
    public WindowBinding(MemoryWindow window, int firstKey) {
        this.window = window;
        this.key = firstKey;
    }

    /// Whether a region's part may be bound.
    ///
    /// @param regionAccess with what access the region was registered
    /// @param mostBytes that a window of the device opens
    /// @throws VerbsException EINVAL if not; EOPNOTSUPP if it is more than `mostBytes`
    public static void check(
            SendWorkRequest request, MemoryRegion region, Set<AccessFlag> regionAccess, long mostBytes) {
        if (!regionAccess.contains(AccessFlag.MW_BIND)) {
            throw refused("the region was registered without MW_BIND");
        }
        for (AccessFlag flag : request.windowAccess) {
            if (flag != AccessFlag.REMOTE_WRITE && flag != AccessFlag.REMOTE_READ) {
                throw refused(flag + " is not for a window");
            }
        }
        if (request.windowAccess.contains(AccessFlag.REMOTE_WRITE) && !regionAccess.contains(AccessFlag.LOCAL_WRITE)) {
            throw refused("a window for remote writes, on a region that was registered without LOCAL_WRITE");
        }
        if (request.length < 1 || !region.contains(request.localAddress, request.length)) {
            throw refused("the window's %d bytes from %#x are none, or not all of the region"
                    .formatted(request.length, request.localAddress));
        }
        if (request.length > mostBytes) {
            throw new VerbsException(
                    VERB,
                    VerbsException.EOPNOTSUPP,
                    "a window of " + request.length + " bytes; the device binds at most " + mostBytes);
        }
    }

    public int key() {
        return key;
    }

    public synchronized boolean isBound() {
        return boundOn != null;
    }

    /// The key that the next bind gives it: another in its low 8 bits.
    ///
    /// @throws VerbsException EINVAL if it is bound or closed
    public synchronized int nextKey() {
        if (closed) {
            throw refused("the window is closed");
        }
        if (boundOn != null) {
            throw refused("the window is bound");
        }
        return (key & ~COUNTED_BITS) | ((key + 1) & COUNTED_BITS);
    }

    /// A bind was posted.
    ///
    /// @param queuePair the windows of the queue pair on which it was posted
    /// @param newKey what [#nextKey()] said
    /// @param windowsOfRegion counts what is bound to the region; the caller has added this one
    public synchronized void bound(BoundWindows queuePair, int newKey, OpenChildren windowsOfRegion) {
        key = newKey;
        boundOn = queuePair;
        region = windowsOfRegion;
        queuePair.add(this);
    }

    /// @throws VerbsException EINVAL unless it is bound on this queue pair
    public synchronized void requireBound(BoundWindows queuePair) {
        if (boundOn != queuePair) {
            throw refused(boundOn == null ? "the window is not bound" : "the window is bound on another queue pair");
        }
    }

    /// An invalidation was posted.
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

    /// Nothing binds it any more. Its region counts it until [#unbound()], which the caller calls once the device has
    /// let go of it.
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
