package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;

/// The two edges of one slot: an empty tensor asks, and the content answers. Neither is sent before the one before
/// it was released, for each waits for the other: no credit is needed.
///
/// @param request from the consumer
/// @param content from the producer
record EdgePair(StaticEdge request, StaticEdge content) {
    /// @param generation tells the edges of one order from those of the next
    static EdgePair of(long generation, int slot, long bytes) {
        String name = generation + "/" + slot;
        return new EdgePair(
                edge(RendezvousNode.CONSUMER, RendezvousNode.PRODUCER, "request/" + name, 0),
                edge(RendezvousNode.PRODUCER, RendezvousNode.CONSUMER, "content/" + name, bytes));
    }

    private static StaticEdge edge(DeviceName from, DeviceName to, String name, long bytes) {
        return StaticEdge.of(RendezvousKey.of(from, to, name), DataType.UINT8, Shape.of(bytes))
                .withReuse(StaticEdge.Reuse.DEPENDENCY);
    }
}
