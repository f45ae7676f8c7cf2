package io.tensorferry.it.benchmark.flight;

import io.grpc.netty.NettyChannelBuilder;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarBinaryVector;

/// Fetches tensors with Flight's blocking client, with one thread per slot, all on one connection.
public final class FlightTensorConsumer implements TensorConsumer {
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient client;
    private final List<BlockingQueue<Arrival>> slots = new ArrayList<>();
    private volatile Ticket ticket = FlightEnd.ticket(0);

    public FlightTensorConsumer(int port) {
        client = FlightGrpcUtils.createFlightClient(
                allocator,
                NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .flowControlWindow(FlightEnd.FLOW_CONTROL_BYTES)
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .usePlaintext()
                        .build());
    }

    @Override
    public String device() {
        return "loopback TCP";
    }

    @Override
    public void begin(long bytes, int count, int slotCount) {
        ticket = FlightEnd.ticket(bytes);
        while (slots.size() < slotCount) {
            var asked = new ArrayBlockingQueue<Arrival>(1);
            Thread.ofPlatform().daemon().name("flight slot " + slots.size()).start(() -> serve(asked));
            slots.add(asked);
        }
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        slots.get(slot).add(arrival);
    }

    private void serve(BlockingQueue<Arrival> asked) {
        try {
            while (true) {
                Arrival arrival = asked.take();
                if (get(arrival)) {
                    arrival.slotIsFree();
                }
            }
        } catch (InterruptedException _) {
            // Only the end of the process interrupts this thread.
        }
    }

    // The stream's close may be interrupted, which does not happen here.
    @SuppressWarnings("try")
    private boolean get(Arrival arrival) {
        try (FlightStream stream = client.getStream(ticket)) {
            while (stream.next()) {
                var column = (VarBinaryVector) stream.getRoot().getVector(0);
                int bytes = column.getValueLength(0);
                arrival.arrived(
                        MemorySegment.ofBuffer(column.getDataBuffer().nioBuffer(column.getStartOffset(0), bytes)));
            }
            return true;
        } catch (Exception e) {
            arrival.failed(e);
            return false;
        }
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
