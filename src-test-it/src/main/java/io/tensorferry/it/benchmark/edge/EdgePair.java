package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;

/// The two edges of one slot: an empty tensor asks, and the content answers.
///
/// @param request from the consumer
/// @param content from the producer
record EdgePair(StaticEdge request, RendezvousKey content) {
    /// @param generation tells the edges of one order from those of the next
    static EdgePair of(long generation, int slot) {
        String name = generation + "/" + slot;
        return new EdgePair(
                ContentEdge.fixed(key(RendezvousNode.CONSUMER, RendezvousNode.PRODUCER, "request/" + name), 0),
                key(RendezvousNode.PRODUCER, RendezvousNode.CONSUMER, "content/" + name));
    }

    private static RendezvousKey key(DeviceName from, DeviceName to, String name) {
        return RendezvousKey.of(from, to, name);
    }
}
