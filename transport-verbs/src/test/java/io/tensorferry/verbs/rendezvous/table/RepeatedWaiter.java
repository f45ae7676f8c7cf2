package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.RendezvousKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A callback that waits in a [TagTable] repeatedly, each time as a new waiter. Threading: any thread.
public final class RepeatedWaiter {
    private final DoneCallback callback;
    private final Map<RendezvousKey, List<TagTable.Waiter>> waiters = new ConcurrentHashMap<>();

    public RepeatedWaiter(DoneCallback callback) {
        this.callback = callback;
    }

    public void receive(TagTable table, RendezvousKey key) {
        var waiter = TagTable.Waiter.of(callback);
        table.receive(key, waiter);
        waiters.computeIfAbsent(key, _ -> new CopyOnWriteArrayList<>()).add(waiter);
    }

    /// Gives up the newest place that it still has; returns whether there was one.
    public boolean remove(TagTable table, RendezvousKey key) {
        return waiters.getOrDefault(key, List.of()).reversed().stream().anyMatch(table::remove);
    }
}
