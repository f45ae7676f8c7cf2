package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.util.List;
import java.util.concurrent.CompletionException;

/// The other end of [RendezvousConsumer]: serves its orders until the server stops. Its thread is its own.
public final class RendezvousProducer implements TensorProducer {
    private final TransportServer server;

    private RendezvousProducer(TransportServer server) {
        this.server = server;
    }

    /// @param ports of the producer and of the consumer
    public static RendezvousProducer open(Variant variant, Knobs knobs, List<Integer> ports) {
        var producer = new RendezvousProducer(RendezvousNode.start(variant, knobs, ports, RendezvousNode.PRODUCER));
        Thread.ofPlatform().daemon().name("producer over " + variant.path()).start(producer::serveOrders);
        return producer;
    }

    private void serveOrders() {
        Tensor source = RendezvousNode.tensor(server.allocator(), 0);
        try {
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                Order order = Order.of(
                        rendezvous.recvAsync(RendezvousNode.ORDER).join().tensorOrThrow());
                // With the next order there, nothing of the last one is on its way.
                server.closeStep(step - 1);
                if (source.byteSize() != order.bytes()) {
                    source.close();
                    source = RendezvousNode.tensor(server.allocator(), order.bytes());
                }
                if (order.late()) {
                    rendezvous.send(RendezvousNode.READY, RendezvousNode.tensor(server.allocator(), 0));
                    rendezvous
                            .recvAsync(RendezvousNode.RELEASE)
                            .join()
                            .tensorOrThrow()
                            .close();
                }
                List<RendezvousKey> keys = order.keys();
                for (int i = 0; i < order.count(); i++) {
                    rendezvous.send(keys.get(i % keys.size()), source.share());
                }
                if (!order.late()) {
                    rendezvous.send(RendezvousNode.READY, RendezvousNode.tensor(server.allocator(), 0));
                }
            }
        } catch (CompletionException | TransportException _) {
            // The consumer or the server has stopped.
        } finally {
            source.close();
        }
    }

    /// An order says what to serve.
    @Override
    public void serve(long bytes) {}

    @Override
    public void rest() {}

    @Override
    public void close() {
        server.close();
    }
}
