package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.Order;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The other end of [EdgeConsumer]: opens the edges that it orders, and answers each request on the transport's loop.
public final class EdgeProducer implements TensorProducer {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeProducer.class);

    private final TransportServer server;
    private final List<AutoCloseable> ends = new ArrayList<>();

    private EdgeProducer(TransportServer server) {
        this.server = server;
    }

    /// @param ports of the producer and of the consumer
    public static EdgeProducer open(Variant variant, Knobs knobs, List<Integer> ports) {
        var producer = new EdgeProducer(RendezvousNode.start(variant, knobs, ports, RendezvousNode.PRODUCER));
        Thread.ofPlatform().daemon().name("producer over edges").start(producer::serveOrders);
        return producer;
    }

    private void serveOrders() {
        try (Tensor empty = tensor(0)) {
            Tensor source = empty.share();
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                Order order = Order.of(
                        rendezvous.recvAsync(RendezvousNode.ORDER).join().tensorOrThrow());
                server.closeStep(step - 1);
                closeEnds();
                source.close();
                source = tensor(order.bytes());
                for (int slot = 0; slot < order.names(); slot++) {
                    open(EdgePair.of(step, slot, order.bytes()), source);
                }
                rendezvous.send(RendezvousNode.READY, empty.share());
            }
        } catch (CompletionException | TransportException e) {
            LOG.debug("the consumer or the server has stopped", e);
        }
    }

    private void open(EdgePair pair, Tensor source) {
        StaticSender contents = server.openSender(pair.content());
        StaticReceiver requests = server.openReceiver(pair.request());
        ends.add(contents);
        ends.add(requests);
        requests.onReady(() -> {
            try {
                while (requests.poll()) {
                    var _ = requests.take();
                    requests.release();
                    contents.send(source.share());
                }
            } catch (TransportException e) {
                LOG.debug("the consumer has closed the edge", e);
            }
        });
    }

    private void closeEnds() {
        for (AutoCloseable end : ends) {
            switch (end) {
                case StaticSender sender -> sender.close();
                case StaticReceiver receiver -> receiver.close();
                default -> throw new IllegalStateException("neither end of an edge: " + end);
            }
        }
        ends.clear();
    }

    private Tensor tensor(long bytes) {
        Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(bytes));
        Content.fill(tensor.segment());
        return tensor;
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
