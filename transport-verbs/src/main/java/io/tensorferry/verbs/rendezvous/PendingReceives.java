package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The pending receives of one step, in an intrusive linked list: adding and removing a receive takes constant time and
/// allocates nothing.
///
/// Threading: any thread; the monitor is held for a few instructions, or for a walk of the list.
public final class PendingReceives {
    private final Runnable onEmpty;
    private @Nullable RemoteReceive newest;

    /// @param onEmpty runs each time that the last receive is removed, on the thread that removes it
    public PendingReceives(Runnable onEmpty) {
        this.onEmpty = onEmpty;
    }

    /// @param receive a new receive
    public synchronized void add(RemoteReceive receive) {
        receive.older = newest;
        if (newest != null) {
            newest.newer = receive;
        }
        newest = receive;
    }

    /// @param receive a receive that was added and has not been removed
    void remove(RemoteReceive receive) {
        if (removeAndLook(receive)) {
            onEmpty.run();
        }
    }

    private synchronized boolean removeAndLook(RemoteReceive receive) {
        RemoteReceive newer = receive.newer;
        RemoteReceive older = receive.older;
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        if (older != null) {
            older.newer = newer;
        }
        receive.newer = null;
        receive.older = null;
        return newest == null;
    }

    public synchronized int size() {
        int size = 0;
        for (RemoteReceive each = newest; each != null; each = each.older) {
            size++;
        }
        return size;
    }

    public synchronized boolean isEmpty() {
        return newest == null;
    }

    /// Returns the key of the oldest pending receive; null if there is none.
    public synchronized @Nullable RendezvousKey oldest() {
        RemoteReceive oldest = newest;
        while (oldest != null && oldest.older != null) {
            oldest = oldest.older;
        }
        return oldest == null ? null : oldest.key();
    }

    /// Returns the pending receives, oldest first.
    public synchronized List<RemoteReceive> all() {
        var all = new ArrayList<RemoteReceive>();
        for (RemoteReceive each = newest; each != null; each = each.older) {
            all.add(each);
        }
        return all.reversed();
    }
}
