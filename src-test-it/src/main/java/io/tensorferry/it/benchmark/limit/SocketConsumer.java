package io.tensorferry.it.benchmark.limit;

import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.LinkedBlockingQueue;

/// Sends requests of eight bytes on a TCP connection; one thread reads the tensors into their slots, in the order of
/// the requests.
public final class SocketConsumer implements TensorConsumer {
    private final SocketChannel channel;
    private final Slots slots = new Slots();
    private final LinkedBlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final ByteBuffer request = ByteBuffer.allocateDirect(Long.BYTES);

    private record Asked(int slot, Arrival arrival) {}

    /// Connects to the producer.
    public SocketConsumer(int port) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Thread.ofPlatform().daemon().name("socket reader").start(this::read);
    }

    private void read() {
        try {
            while (true) {
                Asked next = asked.take();
                ByteBuffer content = slots.buffer(next.slot).clear();
                while (content.hasRemaining()) {
                    if (channel.read(content) < 0) {
                        throw new IOException("the producer has closed the connection");
                    }
                }
                next.arrival.arrived(slots.segment(next.slot));
                next.arrival.slotIsFree();
            }
        } catch (InterruptedException | ClosedChannelException _) {
            // Closed by this process.
        } catch (IOException e) {
            for (Asked each : asked) {
                each.arrival.failed(e);
            }
        }
    }

    @Override
    public String device() {
        return "loopback TCP";
    }

    @Override
    public void begin(long bytes, int count, int slotCount) {
        slots.provide(bytes, slotCount);
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        // Two threads may send requests when a run begins.
        synchronized (request) {
            asked.add(new Asked(slot, arrival));
            request.clear().putLong(0, slots.bytes());
            try {
                while (request.hasRemaining()) {
                    channel.write(request);
                }
            } catch (IOException e) {
                arrival.failed(e);
            }
        }
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // The connection is gone in any case.
        }
    }
}
