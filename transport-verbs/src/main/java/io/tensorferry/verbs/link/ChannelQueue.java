package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.loop.Tell;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The waiters for the channel to one peer, in request order. The cost of removal does not depend on the number of
/// waiters, so a cancelled receive leaves nothing behind.
///
/// Owner: the loop.
final class ChannelQueue {
    private final ChannelCounters counters;
    // Each waiter with its place in the order.
    private final LinkedHashMap<ChannelWaiter, Long> waiting = new LinkedHashMap<>();
    private long nextPlace;

    /// @param counters counts the waiters
    ChannelQueue(ChannelCounters counters) {
        this.counters = counters;
    }

    /// Adds a waiter. A waiter that is already queued keeps its place.
    void add(ChannelWaiter waiter) {
        if (waiting.putIfAbsent(waiter, nextPlace) == null) {
            nextPlace++;
            counters.waiting.increment();
        }
    }

    /// Removes a waiter. Has no effect if it is not queued.
    void remove(ChannelWaiter waiter) {
        if (waiting.remove(waiter) != null) {
            counters.waiting.decrement();
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// Removes the current waiters one after the other and gives each to `action`. A waiter that is removed meanwhile
    /// is skipped; a waiter that is added meanwhile stays queued.
    void drain(Consumer<ChannelWaiter> action) {
        long end = nextPlace;
        Map.Entry<ChannelWaiter, Long> first = waiting.firstEntry();
        while (first != null && first.getValue() < end) {
            ChannelWaiter waiter = first.getKey();
            remove(waiter);
            Tell.one("notify a waiter of a channel", () -> action.accept(waiter));
            first = waiting.firstEntry();
        }
    }
}
