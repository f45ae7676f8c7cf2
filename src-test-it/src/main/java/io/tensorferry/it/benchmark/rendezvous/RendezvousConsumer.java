package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;

/// Receives by `recvAsync`, on the callback executor.
public final class RendezvousConsumer implements TensorConsumer {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TransportServer server;
    private Rendezvous rendezvous;
    private long step;

    private RendezvousConsumer(TransportServer server) {
        this.server = server;
        this.rendezvous = server.rendezvous(step);
    }

    /// @param ports of the producer and of the consumer
    public static RendezvousConsumer open(Variant variant, List<Integer> ports) throws InterruptedException {
        TransportServer server = RendezvousNode.start(variant, ports, RendezvousNode.CONSUMER);
        server.awaitPeers(LIMIT);
        return new RendezvousConsumer(server);
    }

    /// What gives a process of this path so many data queue pairs instead of the transport's default: an argument of
    /// its
    /// virtual machine.
    public static String lanesArgument(int lanes) {
        return "-D" + RendezvousNode.LANES + "=" + lanes;
    }

    /// The server behind this, for what it says of itself.
    public TransportServer server() {
        return server;
    }

    @Override
    public String device() {
        return server.transportDevice();
    }

    /// The producer has sent all tensors when this returns.
    @Override
    public void begin(long bytes, int count, int slots) throws InterruptedException {
        rendezvous = server.rendezvous(step);
        Tensor order = server.allocator().allocate(DataType.INT64, Shape.of(2));
        order.segment().setAtIndex(ValueLayout.JAVA_LONG, 0, bytes);
        order.segment().setAtIndex(ValueLayout.JAVA_LONG, 1, count);
        rendezvous.send(RendezvousNode.ORDER, order);
        RecvResult ready = rendezvous.recv(RendezvousNode.READY, LIMIT);
        ready.tensorOrThrow().close();
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        rendezvous.recvAsync(RendezvousNode.TENSOR, new Receipt(arrival));
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void end() {
        server.closeStep(step);
        step++;
    }

    @Override
    public void close() {
        server.close();
    }

    private record Receipt(Arrival arrival) implements DoneCallback {
        @Override
        public void done(RecvResult result) {
            try (Tensor tensor = result.tensorOrThrow()) {
                arrival.arrived(tensor.segment());
            } catch (RuntimeException e) {
                arrival.failed(e);
                return;
            }
            arrival.slotIsFree();
        }
    }
}
