package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.grpc.TransportServer;

/// The kind of edge that carries the content.
public enum ContentEdge {
    STATIC,
    DYNAMIC;

    EdgeSender openSender(TransportServer server, RendezvousKey key, long bytes) {
        return switch (this) {
            case STATIC -> server.openSender(fixed(key, bytes));
            case DYNAMIC -> server.openSender(DynamicEdge.of(key));
        };
    }

    EdgeReceiver openReceiver(TransportServer server, RendezvousKey key, long bytes) {
        return switch (this) {
            case STATIC -> server.openReceiver(fixed(key, bytes));
            case DYNAMIC -> server.openReceiver(DynamicEdge.of(key));
        };
    }

    /// An edge with one place. It needs no credit: each end waits for the other, so a tensor is sent only after the
    /// previous one was released.
    static StaticEdge fixed(RendezvousKey key, long bytes) {
        return StaticEdge.of(key, DataType.UINT8, Shape.of(bytes)).withReuse(StaticEdge.Reuse.DEPENDENCY);
    }

    /// An allocator whose tensors the edge sends without a copy.
    static TensorAllocator allocator(TransportServer server, EdgeSender sender) {
        return sender instanceof DynamicSender dynamic ? dynamic.allocator() : server.allocator();
    }

    /// Releases a tensor that the consumer has taken.
    static void done(EdgeReceiver receiver, Tensor tensor) {
        if (receiver instanceof StaticReceiver fixed) {
            fixed.release();
        } else {
            tensor.close();
        }
    }
}
