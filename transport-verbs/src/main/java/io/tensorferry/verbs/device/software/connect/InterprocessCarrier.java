package io.tensorferry.verbs.device.software.connect;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.software.core.Carrier;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import io.tensorferry.verbs.device.software.shared.SharedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Carries the requests of one device's queue pairs between processes, over TCP or through shared memory. Owns the
/// device's listening socket, loop and shared memory.
///
/// Threading: created and closed on any thread; otherwise on the loop, except for immutable state.
public final class InterprocessCarrier implements Carrier {
    /// The source address that the kernel chooses on loopback by default.
    private static final InetAddress USUAL_SOURCE = InetAddress.ofLiteral("127.0.0.1");

    private final ListenOptions options;
    private final PayloadCounters counters;
    private final ServerSocketChannel server;
    private final int port;
    private final DeviceEventLoop loop;
    private final Map<InetAddress, Boolean> hosts = new HashMap<>();
    private @Nullable SoftwareDevice device;
    private @Nullable SharedMemory sharedMemory;
    private boolean onlySharedMemory;

    private InterprocessCarrier(ListenOptions options, PayloadCounters counters, ServerSocketChannel server)
            throws IOException {
        this.options = options;
        this.counters = counters;
        this.server = server;
        this.port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        this.loop = new DeviceEventLoop("tensorferry-" + options.deviceName() + "-io", this::fail);
    }

    /// Listens on a free port of the configured address.
    public static InterprocessCarrier listen(ListenOptions options, PayloadCounters counters) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(new InetSocketAddress(options.bindAddress(), 0), options.backlog());
                return new InterprocessCarrier(options, counters, server);
            } catch (IOException failure) {
                server.close();
                throw failure;
            }
        } catch (BindException failure) {
            // The port is arbitrary, so the failure concerns the address.
            throw cannotListen(options, VerbsException.EADDRNOTAVAIL, failure);
        } catch (IOException failure) {
            throw cannotListen(options, VerbsException.EIO, failure);
        }
    }

    private static VerbsException cannotListen(ListenOptions options, int errno, IOException failure) {
        return new VerbsException(
                "ibv_open_device",
                errno,
                "cannot listen on " + options.bindAddress().getHostAddress() + ": " + failure.getMessage());
    }

    /// Enables shared memory for peers on this host. Called before [#start]; the carrier closes `memory`.
    ///
    /// @param only whether to exclude TCP
    public void use(SharedMemory memory, boolean only) {
        sharedMemory = memory;
        onlySharedMemory = only;
        loop.use(memory);
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
    public DeviceEventLoop loop() {
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
        return new InterprocessLink(this, queuePair);
    }

    @Override
    public MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return sharedMemory == null
                ? Carrier.super.allocate(arena, bytes, alignment)
                : sharedMemory.allocate(arena, bytes, alignment);
    }

    @Nullable
    SharedMemory sharedMemory() {
        return sharedMemory;
    }

    boolean mayUseTcp() {
        return !onlySharedMemory;
    }

    /// The reason why the peer at this address cannot be reached, as far as it is known now; null if it may be
    /// reachable.
    @Nullable
    String obstacle(InetAddress host) {
        return onlySharedMemory && !isThisHost(host)
                ? "the peer at " + host.getHostAddress() + " is on another host, and "
                        + "this device reaches peers only through shared memory (RDMA_SOFT_CARRIER=shared)"
                : null;
    }

    boolean isThisHost(InetAddress host) {
        return host.isLoopbackAddress() || hosts.computeIfAbsent(host, InterprocessCarrier::hasInterface);
    }

    private static boolean hasInterface(InetAddress host) {
        try {
            return NetworkInterface.getByInetAddress(host) != null;
        } catch (SocketException failure) {
            return false;
        }
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

    /// The host of an IPv4-mapped GID.
    InetAddress address(Gid gid) {
        try {
            byte[] bytes = ByteBuffer.allocate(4).putInt(gid.ipv4Address()).array();
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("four bytes are an IPv4 address", impossible);
        }
    }

    /// Creates a socket to dial from. The peer checks that its source address matches this device's GID.
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
        // The loop uses the shared memory until it has ended.
        loop.close();
        if (sharedMemory != null) {
            sharedMemory.close();
        }
    }
}
