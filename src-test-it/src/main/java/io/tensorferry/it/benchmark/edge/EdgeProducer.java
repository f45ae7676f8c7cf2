package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
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
    private final List<Runnable> closings = new ArrayList<>();

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
        Tensor source = RendezvousNode.tensor(server, 0);
        try {
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                Order order = Order.of(
                        rendezvous.recvAsync(RendezvousNode.ORDER).join().tensorOrThrow());
                server.closeStep(step - 1);
                closeEnds();
                source.close();
                source = RendezvousNode.tensor(server, order.bytes());
                for (int slot = 0; slot < order.names(); slot++) {
                    open(EdgePair.of(step, slot, order.bytes()), source);
                }
                rendezvous.send(RendezvousNode.READY, RendezvousNode.tensor(server, 0));
            }
        } catch (CompletionException | TransportException e) {
            LOG.debug("the consumer or the server has stopped", e);
        } finally {
            source.close();
        }
    }

    private void open(EdgePair pair, Tensor source) {
        StaticSender contents = server.openSender(pair.content());
        StaticReceiver requests = server.openReceiver(pair.request());
        closings.add(contents::close);
        closings.add(requests::close);
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
        closings.forEach(Runnable::run);
        closings.clear();
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
