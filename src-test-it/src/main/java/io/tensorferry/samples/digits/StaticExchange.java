package io.tensorferry.samples.digits;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.samples.scheduler.ReadyQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// Nothing is asked for: what travels has the same shape in each step, so its edge is opened in the first, and
/// later ones are written where the first was. The operators that wait for tensors do so in a scheduler's queue.
final class StaticExchange implements ModelExchange {
    private final TransportServer server;
    private final DeviceName self;
    private final ReadyQueue queue = new ReadyQueue("operators");
    private final Map<RendezvousKey, StaticSender> senders = new HashMap<>();
    private final Map<RendezvousKey, StaticReceiver> receivers = new HashMap<>();

    StaticExchange(TransportServer server) {
        this.server = server;
        this.self = server.deviceName(0);
    }

    @Override
    public void send(long step, DeviceName to, String name, Tensor tensor) {
        RendezvousKey key = RendezvousKey.of(self, to, name);
        senders.computeIfAbsent(key, _ -> server.openSender(edge(key, tensor.shape())))
                .send(tensor);
    }

    @Override
    public CompletableFuture<double[]> receive(long step, DeviceName from, String name, Shape shape) {
        RendezvousKey key = RendezvousKey.of(from, self, name);
        StaticReceiver receiver = receivers.computeIfAbsent(key, _ -> open(edge(key, shape)));
        var elements = new CompletableFuture<double[]>();
        queue.whenReady(receiver, () -> {
            try {
                elements.complete(receiver.take().toDoubleArray());
                receiver.release();
            } catch (RuntimeException e) {
                elements.completeExceptionally(e);
            }
        });
        return elements;
    }

    private StaticReceiver open(StaticEdge edge) {
        StaticReceiver receiver = server.openReceiver(edge);
        receiver.onReady(queue::wake);
        return receiver;
    }

    private static StaticEdge edge(RendezvousKey key, Shape shape) {
        return StaticEdge.of(key, DataType.DOUBLE, shape);
    }

    @Override
    public void stepDone(long step) {
        // The memory is the next step's.
    }

    @Override
    public void close() {
        queue.close();
        senders.values().forEach(StaticSender::close);
        receivers.values().forEach(StaticReceiver::close);
    }
}
