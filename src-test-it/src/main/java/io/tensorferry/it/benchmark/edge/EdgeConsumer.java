package io.tensorferry.it.benchmark.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.Order;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Requests tensors over a static edge and receives them over an edge of either kind, with one pair of edges per slot.
/// Arrivals are reported on the transport's loop.
public final class EdgeConsumer implements TensorConsumer {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ContentEdge kind;
    private final TransportServer server;
    private final Tensor empty;
    private final List<Slot> slots = new ArrayList<>();
    private long bytes = -1;
    private long step;

    private EdgeConsumer(ContentEdge kind, TransportServer server) {
        this.kind = kind;
        this.server = server;
        this.empty = server.allocator().allocate(DataType.UINT8, Shape.of(0));
    }

    /// @param ports the ports of the producer and of the consumer
    public static EdgeConsumer open(ContentEdge kind, Variant variant, Knobs knobs, List<Integer> ports)
            throws InterruptedException {
        TransportServer server = RendezvousNode.start(variant, knobs, ports, RendezvousNode.CONSUMER);
        server.awaitPeers(LIMIT);
        var consumer = new EdgeConsumer(kind, server);
        // As with receives, both ends must complete their set-up before their processes may be suspended.
        consumer.begin(0, 0, 1);
        return consumer;
    }

    @Override
    public String device() {
        return server.transportDevice();
    }

    @Override
    public void begin(long tensorBytes, int count, int slotCount) throws InterruptedException {
        if (tensorBytes == bytes && slotCount == slots.size()) {
            return;
        }
        slots.forEach(Slot::close);
        slots.clear();
        bytes = tensorBytes;
        Rendezvous rendezvous = server.rendezvous(step);
        rendezvous.send(RendezvousNode.ORDER, new Order(bytes, count, slotCount, false).toTensor(server.allocator()));
        rendezvous.recv(RendezvousNode.READY, LIMIT).tensorOrThrow().close();
        for (int slot = 0; slot < slotCount; slot++) {
            slots.add(new Slot(EdgePair.of(step, slot)));
        }
        slots.forEach(Slot::awaitOpen);
        server.closeStep(step);
        step++;
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        slots.get(slot).ask(arrival);
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void close() {
        empty.close();
        server.close();
    }

    /// Requests one tensor at a time.
    private final class Slot {
        private final StaticSender requests;
        private final EdgeReceiver contents;
        private volatile @Nullable Arrival asker;

        Slot(EdgePair pair) {
            this.requests = server.openSender(pair.request());
            this.contents = kind.openReceiver(server, pair.content(), bytes);
            contents.onReady(this::take);
        }

        void awaitOpen() {
            requests.opened().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            contents.opened().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        }

        void ask(Arrival arrival) {
            asker = arrival;
            requests.send(empty.share());
        }

        private void take() {
            while (contents.poll()) {
                Arrival arrival = asker;
                if (arrival == null) {
                    return;
                }
                Tensor content;
                try {
                    content = contents.take();
                } catch (TransportException e) {
                    arrival.failed(e);
                    return;
                }
                arrival.arrived(content.segment());
                ContentEdge.done(contents, content);
                arrival.slotIsFree();
            }
        }

        void close() {
            asker = null;
            requests.close();
            contents.close();
        }
    }
}
