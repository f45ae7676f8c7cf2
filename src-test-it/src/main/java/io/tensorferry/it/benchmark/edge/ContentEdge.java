package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DynamicEdge;
import io.tensorferry.api.DynamicSender;
import io.tensorferry.api.EdgeReceiver;
import io.tensorferry.api.EdgeSender;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.TransportServer;

/// What kind of edge brings the contents.
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

    /// Of one place. Nothing is sent before the tensor before it was released, because an end waits for the other: no
    /// credit is needed.
    static StaticEdge fixed(RendezvousKey key, long bytes) {
        return StaticEdge.of(key, DataType.UINT8, Shape.of(bytes)).withReuse(StaticEdge.Reuse.DEPENDENCY);
    }

    /// Whose tensors are sent without a copy.
    static TensorAllocator allocator(TransportServer server, EdgeSender sender) {
        return sender instanceof DynamicSender dynamic ? dynamic.allocator() : server.allocator();
    }

    /// A tensor that was taken is not used any more.
    static void done(EdgeReceiver receiver, Tensor tensor) {
        if (receiver instanceof StaticReceiver fixed) {
            fixed.release();
        } else {
            tensor.close();
        }
    }
}
