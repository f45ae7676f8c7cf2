package io.tensorferry.samples.digits;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.samples.scheduler.ReadyQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// An exchange over edges, without requests: each name has an edge, which is opened in the first step and used in all.
/// Operators that wait for tensors do so in a scheduler's queue.
///
/// @param <S> the producer's end
/// @param <R> the consumer's end
abstract class EdgeExchange<S extends EdgeSender, R extends EdgeReceiver> implements ModelExchange {
    private final DeviceName self;
    private final ReadyQueue queue = new ReadyQueue("operators");
    private final Map<RendezvousKey, S> senders = new HashMap<>();
    private final Map<RendezvousKey, R> receivers = new HashMap<>();

    EdgeExchange(TransportServer server) {
        this.self = server.deviceName(0);
    }

    abstract S openSender(RendezvousKey key, Shape shape);

    abstract R openReceiver(RendezvousKey key, Shape shape);

    /// An allocator whose tensors the edge sends without a copy.
    abstract TensorAllocator allocator(S sender);

    /// Releases a tensor that was read.
    abstract void done(R receiver, Tensor tensor);

    @Override
    public final void send(long step, List<DeviceName> to, String name, Shape shape, double... values) {
        List<S> edges = to.stream()
                .map(device -> RendezvousKey.of(self, device, name))
                .map(key -> senders.computeIfAbsent(key, _ -> openSender(key, shape)))
                .toList();
        try (Tensor tensor = ModelExchange.tensor(allocator(edges.getFirst()), shape, values)) {
            edges.forEach(sender -> send(sender, tensor));
        }
    }

    private static void send(EdgeSender sender, Tensor tensor) {
        try (Tensor share = tensor.share()) {
            sender.send(share);
        }
    }

    @Override
    public final CompletableFuture<double[]> receive(long step, DeviceName from, String name, Shape shape) {
        RendezvousKey key = RendezvousKey.of(from, self, name);
        R receiver = receivers.computeIfAbsent(key, _ -> open(key, shape));
        var elements = new CompletableFuture<double[]>();
        queue.whenReady(receiver, () -> {
            try {
                Tensor tensor = receiver.take();
                elements.complete(tensor.toDoubleArray());
                done(receiver, tensor);
            } catch (RuntimeException e) {
                elements.completeExceptionally(e);
            }
        });
        return elements;
    }

    private R open(RendezvousKey key, Shape shape) {
        R receiver = openReceiver(key, shape);
        receiver.onReady(queue::wake);
        return receiver;
    }

    @Override
    public final void stepDone(long step) {
        // The next step uses the same edges.
    }

    @Override
    public final void close() {
        queue.close();
        senders.values().forEach(EdgeExchange::close);
        receivers.values().forEach(EdgeReceiver::close);
    }

    private static void close(EdgeSender sender) {
        sender.close();
    }
}
