package io.tensorferry.verbs.device.software.tcp;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.software.core.Carrier;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// One device's place in the network: its listening socket and its I/O thread.
///
/// Threading: made and closed on any thread; the rest on the loop, but for what does not change.
public final class TcpCarrier implements Carrier {
    /// What the kernel takes by itself on loopback.
    private static final InetAddress USUAL_SOURCE = InetAddress.ofLiteral("127.0.0.1");

    private final TcpOptions options;
    private final PayloadCounters counters;
    private final ServerSocketChannel server;
    private final int port;
    private final IoLoop loop;
    private @Nullable SoftwareDevice device;

    private TcpCarrier(TcpOptions options, PayloadCounters counters, ServerSocketChannel server) throws IOException {
        this.options = options;
        this.counters = counters;
        this.server = server;
        this.port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        this.loop = new IoLoop("tensorferry-" + options.deviceName() + "-io", this::fail);
    }

    /// Listens on a free port of the options' address.
    public static TcpCarrier listen(TcpOptions options, PayloadCounters counters) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(new InetSocketAddress(options.bindAddress(), 0), options.backlog());
                return new TcpCarrier(options, counters, server);
            } catch (IOException failure) {
                server.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw new VerbsException(
                    "ibv_open_device",
                    VerbsException.EIO,
                    "cannot listen on " + options.bindAddress().getHostAddress() + ": " + failure.getMessage());
        }
    }

    @Override
    public void start(SoftwareDevice owner) {
        device = owner;
        loop.start();
        loop.run(() -> {
            try {
                new Listener(this, server, options.mostGreetings());
            } catch (IOException failure) {
                throw new VerbsException(
                        "ibv_open_device", VerbsException.EIO, "cannot listen: " + failure.getMessage());
            }
        });
    }

    private void fail() {
        if (device != null) {
            device.fail();
        }
    }

    @Override
    public IoLoop loop() {
        return loop;
    }

    @Override
    public Gid gid() {
        return Gid.ofIpv4(ByteBuffer.wrap(options.bindAddress().getAddress()).getInt());
    }

    @Override
    public int lid() {
        return port;
    }

    @Override
    public Link link(SoftwareQueuePair queuePair) {
        return new TcpLink(this, queuePair);
    }

    PayloadCounters counters() {
        return counters;
    }

    long helloTimeoutNs() {
        return options.helloTimeout().toNanos();
    }

    @Nullable
    SoftwareQueuePair queuePair(int number) {
        return device == null ? null : device.queuePair(number);
    }

    /// The host that an IPv4-mapped GID names.
    InetAddress address(Gid gid) {
        try {
            byte[] bytes = ByteBuffer.allocate(4).putInt(gid.ipv4Address()).array();
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("four bytes are an IPv4 address", impossible);
        }
    }

    /// A socket to dial from. Its source address is the one that this device's GID names, for the peer checks it.
    SocketChannel newChannel() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            configure(channel);
            Inet4Address source = options.bindAddress();
            if (!source.equals(USUAL_SOURCE)) {
                channel.bind(new InetSocketAddress(source, 0));
            }
            return channel;
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }

    static void configure(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public void close() {
        loop.close();
    }
}
