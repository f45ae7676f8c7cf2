package io.tensorferry.samples.digits;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.grpc.TransportServer;

/// An exchange over static edges. Tensors have the same shape in each step, so each is written to the memory of the
/// previous step's tensor.
final class StaticExchange extends EdgeExchange<StaticSender, StaticReceiver> {
    private final TransportServer server;

    StaticExchange(TransportServer server) {
        super(server);
        this.server = server;
    }

    @Override
    StaticSender openSender(RendezvousKey key, Shape shape) {
        return server.openSender(StaticEdge.of(key, DataType.DOUBLE, shape));
    }

    @Override
    StaticReceiver openReceiver(RendezvousKey key, Shape shape) {
        return server.openReceiver(StaticEdge.of(key, DataType.DOUBLE, shape));
    }

    @Override
    TensorAllocator allocator(StaticSender sender) {
        return server.allocator();
    }

    @Override
    void done(StaticReceiver receiver, Tensor tensor) {
        receiver.release();
    }
}
