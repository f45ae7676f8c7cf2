package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.api.edge.StaticReceiver;
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

/// The counterpart of [EdgeConsumer]: opens the edges that it orders, and answers each request on the transport's loop.
public final class EdgeProducer implements TensorProducer {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeProducer.class);

    private final ContentEdge kind;
    private final TransportServer server;
    private final List<Runnable> closings = new ArrayList<>();

    private EdgeProducer(ContentEdge kind, TransportServer server) {
        this.kind = kind;
        this.server = server;
    }

    /// @param ports the ports of the producer and of the consumer
    public static EdgeProducer open(ContentEdge kind, Variant variant, Knobs knobs, List<Integer> ports) {
        var producer = new EdgeProducer(kind, RendezvousNode.start(variant, knobs, ports, RendezvousNode.PRODUCER));
        Thread.ofPlatform().daemon().name("producer over edges").start(producer::serveOrders);
        return producer;
    }

    private void serveOrders() {
        try {
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                Order order = Order.of(
                        rendezvous.recvAsync(RendezvousNode.ORDER).join().tensorOrThrow());
                server.closeStep(step - 1);
                closeEnds();
                for (int slot = 0; slot < order.names(); slot++) {
                    open(EdgePair.of(step, slot), order.bytes());
                }
                rendezvous.send(RendezvousNode.READY, RendezvousNode.tensor(server.allocator(), 0));
            }
        } catch (CompletionException | TransportException e) {
            LOG.debug("the consumer or the server has stopped", e);
        } finally {
            closeEnds();
        }
    }

    private void open(EdgePair pair, long bytes) {
        EdgeSender contents = kind.openSender(server, pair.content(), bytes);
        Tensor source = RendezvousNode.tensor(ContentEdge.allocator(server, contents), bytes);
        StaticReceiver requests = server.openReceiver(pair.request());
        closings.add(contents::close);
        closings.add(requests::close);
        closings.add(source::close);
        requests.onReady(() -> {
            try {
                while (requests.poll()) {
                    var _ = requests.take();
                    requests.release();
                    contents.send(source.share());
                }
            } catch (TransportException | IllegalStateException e) {
                LOG.debug("one of the ends is closed", e);
            }
        });
    }

    private void closeEnds() {
        closings.forEach(Runnable::run);
        closings.clear();
    }

    /// Does nothing: orders determine what to serve.
    @Override
    public void serve(long bytes) {}

    @Override
    public void rest() {}

    @Override
    public void close() {
        server.close();
    }
}
