package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.loop.Tell;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// Those who wait for the channel to one peer, in the order in which they asked. Each leaves at a cost that does not
/// depend on how many wait, so that a receive that is cancelled leaves nothing behind.
///
/// Owner: the loop.
final class ChannelQueue {
    private final ChannelCounters counters;
    // Each with the place that it was given.
    private final LinkedHashMap<ChannelWaiter, Long> waiting = new LinkedHashMap<>();
    private long nextPlace;

    /// @param counters count those who wait
    ChannelQueue(ChannelCounters counters) {
        this.counters = counters;
    }

    /// One that waits already keeps its place.
    void add(ChannelWaiter waiter) {
        if (waiting.putIfAbsent(waiter, nextPlace) == null) {
            nextPlace++;
            counters.waiting.increment();
        }
    }

    /// Does nothing if it does not wait.
    void remove(ChannelWaiter waiter) {
        if (waiting.remove(waiter) != null) {
            counters.waiting.decrement();
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// Takes out those who wait now, one after the other, and gives each to `action`. Who leaves meanwhile is not given
    /// to it; who asks again meanwhile waits for the next time.
    void drain(Consumer<ChannelWaiter> action) {
        long end = nextPlace;
        Map.Entry<ChannelWaiter, Long> first = waiting.firstEntry();
        while (first != null && first.getValue() < end) {
            ChannelWaiter waiter = first.getKey();
            remove(waiter);
            Tell.one("tell of a channel", () -> action.accept(waiter));
            first = waiting.firstEntry();
        }
    }
}
