package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;

/// The two edges of one slot: an empty tensor carries the request, and a tensor with the content answers it.
///
/// @param request the edge from the consumer to the producer
/// @param content the key of the edge from the producer to the consumer
record EdgePair(StaticEdge request, RendezvousKey content) {
    /// @param generation distinguishes the edges of one order from those of the next
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
