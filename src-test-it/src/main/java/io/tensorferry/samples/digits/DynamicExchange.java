package io.tensorferry.samples.digits;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.grpc.TransportServer;

/// An exchange over dynamic edges, as for shapes that are unknown before a tensor exists: the consumer reads it.
final class DynamicExchange extends EdgeExchange<DynamicSender, DynamicReceiver> {
    private final TransportServer server;

    DynamicExchange(TransportServer server) {
        super(server);
        this.server = server;
    }

    @Override
    DynamicSender openSender(RendezvousKey key, Shape shape) {
        return server.openSender(DynamicEdge.of(key));
    }

    @Override
    DynamicReceiver openReceiver(RendezvousKey key, Shape shape) {
        return server.openReceiver(DynamicEdge.of(key));
    }

    @Override
    TensorAllocator allocator(DynamicSender sender) {
        return sender.allocator();
    }

    @Override
    void done(DynamicReceiver receiver, Tensor tensor) {
        tensor.close();
    }
}
