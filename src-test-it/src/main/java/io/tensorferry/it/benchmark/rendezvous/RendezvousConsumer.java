package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import io.tensorferry.it.benchmark.gpu.DeviceBytes;
import io.tensorferry.it.benchmark.gpu.TensorDevice;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Receives by `recvAsync`, on the callback executor.
public final class RendezvousConsumer implements TensorConsumer {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TransportServer server;
    private final @Nullable TensorDevice device;
    private final ReceiveOptions options;
    private Rendezvous rendezvous;
    private long step;

    private RendezvousConsumer(TransportServer server, @Nullable TensorDevice device) {
        this.server = server;
        this.device = device;
        this.options = device == null
                ? ReceiveOptions.defaults()
                : ReceiveOptions.defaults().into(server.allocator(device.accelerator()));
        this.rendezvous = server.rendezvous(step);
    }

    /// @param ports the ports of the producer and of the consumer
    public static RendezvousConsumer open(Variant variant, Knobs knobs, List<Integer> ports)
            throws InterruptedException {
        TensorDevice device = RendezvousNode.deviceOf(variant);
        TransportServer server =
                RendezvousNode.start(variant, knobs, ports, RendezvousNode.CONSUMER, RendezvousNode.listOf(device));
        server.awaitPeers(LIMIT);
        var consumer = new RendezvousConsumer(server, device);
        // Wait for the producer's end of the channel, which may open later than this one: from now on its process may
        // be suspended for longer than a set-up may take.
        consumer.begin(0, 0, 1);
        consumer.end();
        return consumer;
    }

    /// The server of this consumer, for its statistics and descriptions.
    public TransportServer server() {
        return server;
    }

    @Override
    public String device() {
        return device == null ? server.transportDevice() : server.transportDevice() + ", " + device.label();
    }

    /// Begins a run. The producer has sent all tensors when this returns.
    @Override
    public void begin(long bytes, int count, int slots) throws InterruptedException {
        begin(new Order(bytes, count, 1, false));
    }

    /// Opens a step, in which the producer executes `order`. Unless the order is late, the producer has executed it
    /// when this returns.
    public void begin(Order order) throws InterruptedException {
        rendezvous = server.rendezvous(step);
        rendezvous.send(RendezvousNode.ORDER, order.toTensor(server.allocator()));
        if (!order.late()) {
            awaitProducer();
        }
    }

    /// Waits for the producer of a late order. All earlier requests have reached the producer when this returns.
    public void awaitProducer() throws InterruptedException {
        RecvResult ready = rendezvous.recv(RendezvousNode.READY, LIMIT);
        ready.tensorOrThrow().close();
    }

    /// Makes the producer of a late order send all tensors.
    public void release() {
        rendezvous.send(RendezvousNode.RELEASE, server.allocator().allocate(DataType.UINT8, Shape.of(0)));
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        ask(RendezvousNode.TENSOR, arrival);
    }

    /// Requests a tensor with one of the order's names.
    public void ask(RendezvousKey name, Arrival arrival) {
        rendezvous.recvAsync(name, options, new Receipt(arrival));
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
        if (device != null) {
            device.close();
        }
    }

    private record Receipt(Arrival arrival) implements DoneCallback {
        @Override
        public void done(RecvResult result) {
            try (Tensor tensor = result.tensorOrThrow()) {
                if (tensor.device() instanceof Accelerator device) {
                    arrival.arrivedOnDevice(new DeviceBytes(device, tensor.address(), tensor.byteSize()));
                } else {
                    arrival.arrived(tensor.segment());
                }
            } catch (RuntimeException e) {
                arrival.failed(e);
                return;
            }
            arrival.slotIsFree();
        }
    }
}
