package io.tensorferry.verbs.rendezvous;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The receives of one step that have not ended, in a list that is linked through them: nothing is made or searched for
/// one, however many there are.
///
/// Threading: any thread; its monitor is held for a few instructions.
final class PendingReceives {
    private @Nullable RemoteReceive newest;

    /// @param receive a new one
    synchronized void add(RemoteReceive receive) {
        receive.older = newest;
        if (newest != null) {
            newest.newer = receive;
        }
        newest = receive;
    }

    /// @param receive one that was added, and not removed since
    synchronized void remove(RemoteReceive receive) {
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
    }

    /// Those that are pending now, oldest first.
    synchronized List<RemoteReceive> all() {
        var all = new ArrayList<RemoteReceive>();
        for (RemoteReceive each = newest; each != null; each = each.older) {
            all.add(each);
        }
        return all.reversed();
    }
}
