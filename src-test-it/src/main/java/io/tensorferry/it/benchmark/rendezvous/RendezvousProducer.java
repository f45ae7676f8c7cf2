package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import io.tensorferry.it.benchmark.gpu.TensorDevice;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// The counterpart of [RendezvousConsumer]: executes its orders, on a separate thread, until the server stops.
public final class RendezvousProducer implements TensorProducer {
    private final TransportServer server;
    private final @Nullable TensorDevice device;
    private final Thread thread;

    private RendezvousProducer(String name, TransportServer server, @Nullable TensorDevice device) {
        this.server = server;
        this.device = device;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::serveOrders);
    }

    /// @param ports the ports of the producer and of the consumer
    public static RendezvousProducer open(Variant variant, Knobs knobs, List<Integer> ports) {
        TensorDevice device = RendezvousNode.deviceOf(variant);
        TransportServer server =
                RendezvousNode.start(variant, knobs, ports, RendezvousNode.PRODUCER, RendezvousNode.listOf(device));
        var producer = new RendezvousProducer("producer over " + variant.path(), server, device);
        producer.thread.start();
        return producer;
    }

    private void serveOrders() {
        TensorAllocator sources = device == null ? server.allocator() : server.allocator(device.accelerator());
        Tensor source = RendezvousNode.tensor(sources, 0);
        try {
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                Order order = Order.of(
                        rendezvous.recvAsync(RendezvousNode.ORDER).join().tensorOrThrow());
                // The next order has arrived, so no transfer of the last step is in progress.
                server.closeStep(step - 1);
                if (source.byteSize() != order.bytes()) {
                    source.close();
                    source = RendezvousNode.tensor(sources, order.bytes());
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

    /// Does nothing: orders determine what to serve.
    @Override
    public void serve(long bytes) {}

    @Override
    public void rest() {}

    @Override
    public void close() {
        server.close();
        if (device != null) {
            awaitThread();
            device.close();
        }
    }

    /// Waits for the thread, which holds a tensor on the device.
    private void awaitThread() {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
