package io.tensorferry.it.benchmark.limit;

import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Writes its tensor from direct memory to the connection once per request, on one blocking thread.
public final class SocketProducer implements TensorProducer {
    private final ServerSocketChannel listener;
    private final Slots source = new Slots();

    public SocketProducer(int port) throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Thread.ofPlatform().daemon().name("socket producer").start(this::serveConnection);
    }

    private void serveConnection() {
        try (SocketChannel channel = listener.accept()) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ByteBuffer request = ByteBuffer.allocateDirect(Long.BYTES);
            while (true) {
                request.clear();
                while (request.hasRemaining()) {
                    if (channel.read(request) < 0) {
                        return;
                    }
                }
                ByteBuffer content = source.buffer(0).clear();
                while (content.hasRemaining()) {
                    channel.write(content);
                }
            }
        } catch (IOException _) {
            // The consumer detects the end of the connection.
        }
    }

    @Override
    public void serve(long bytes) {
        source.provideSource(bytes);
    }

    @Override
    public void rest() {}

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
