package io.tensorferry.grpc.peer;

import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.security.tls.Tls;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The gRPC channels to the other workers, one per worker, opened when the worker is first dialled.
///
/// Threading: any thread.
public final class PeerChannels {
    // gRPC's minimum. Detects a machine that vanished; the connection itself reports a process that died.
    private static final int KEEPALIVE_SECONDS = 10;
    private static final int KEEPALIVE_TIMEOUT_SECONDS = 3;
    // Keeps several chunks of a tensor in flight per stream, independent of other streams.
    private static final int FLOW_CONTROL_WINDOW = 8 << 20;
    private static final int MAX_RESPONSE_BYTES = 2 << 20;
    // Fits the longest status message in any encoding.
    private static final int MAX_TRAILER_BYTES = 64 << 10;

    private final Map<String, WorkerAddress> addresses;
    private final ServerThreads threads;
    private final PeerTimeouts timeouts;
    private final @Nullable Tls tls;
    private final Map<String, PeerChannel> channels = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /// @param tls null for plaintext
    public PeerChannels(
            Map<String, WorkerAddress> addresses, ServerThreads threads, PeerTimeouts timeouts, @Nullable Tls tls) {
        GrpcProviders.register();
        this.addresses = Map.copyOf(addresses);
        this.threads = threads;
        this.timeouts = timeouts;
        this.tls = tls;
    }

    public PeerTimeouts timeouts() {
        return timeouts;
    }

    /// Returns the channel to `worker` once it is connected. Fails as [PeerChannel#whenReady()], and with `UNAVAILABLE`
    /// once this is closed.
    ///
    /// Returns at once, so a loop may call it: the first call for a worker delegates opening the channel, which loads
    /// classes and creates the TLS context, to a handler thread.
    ///
    /// @throws IllegalArgumentException if `worker` is not in the cluster
    public CompletableFuture<PeerChannel> whenReady(String worker) {
        return whenOpen(worker).thenCompose(channel -> channel.whenReady().thenApply(_ -> channel));
    }

    /// Returns the channel to `worker` once it is connected, with the shorter wait of [PeerChannel#whenReadySoon()].
    ///
    /// @throws IllegalArgumentException if `worker` is not in the cluster
    public CompletableFuture<PeerChannel> whenReadySoon(String worker) {
        return whenOpen(worker).thenCompose(channel -> channel.whenReadySoon().thenApply(_ -> channel));
    }

    private CompletableFuture<PeerChannel> whenOpen(String worker) {
        WorkerAddress address = addresses.get(worker);
        if (address == null) {
            throw new IllegalArgumentException(
                    "worker " + worker + " is not in the cluster; it has " + addresses.keySet());
        }
        PeerChannel opened = channels.get(worker);
        if (opened != null && !closed) {
            return CompletableFuture.completedFuture(opened);
        }
        try {
            return CompletableFuture.supplyAsync(() -> opened(worker, address), threads.handlers());
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(stopping(worker));
        }
    }

    private PeerChannel opened(String worker, WorkerAddress address) {
        PeerChannel channel = channels.computeIfAbsent(worker, _ -> open(worker, address));
        if (closed) {
            // Opened while close() ran, which may have missed it.
            channel.grpc().shutdownNow();
            throw stopping(worker);
        }
        return channel;
    }

    /// Runs `task` on a thread for handlers, because a call of gRPC takes locks and allocates, which the loop must not
    /// wait for; on the calling thread once those threads have ended.
    public void offLoop(Runnable task) {
        try {
            threads.handlers().execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    private static TransportException stopping(String worker) {
        return new TransportException(StatusCode.UNAVAILABLE, "this worker is stopping", worker, 0, null);
    }

    private PeerChannel open(String worker, WorkerAddress address) {
        var lookup = new PeerLookup(address, InetAddress::getAllByName, threads.lookups());
        NettyChannelBuilder builder = builder(address, lookup)
                .eventLoopGroup(threads.eventLoops())
                .channelType(NioSocketChannel.class)
                .executor(threads.handlers())
                .offloadExecutor(threads.lookups())
                .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .flowControlWindow(FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_RESPONSE_BYTES)
                .maxInboundMetadataSize(MAX_TRAILER_BYTES)
                .disableRetry();
        if (tls == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(tls.clientContext(worker));
        }
        return new PeerChannel(worker, address, lookup, builder.build(), threads.timer(), timeouts);
    }

    // gRPC's replacement is a process-wide registry, which would retain the class loader of a plugin.
    @SuppressWarnings("deprecation")
    private static NettyChannelBuilder builder(WorkerAddress address, PeerLookup lookup) {
        return NettyChannelBuilder.forAddress(address.host(), address.port()).nameResolverFactory(lookup);
    }

    /// The reason of the latest failed attempt to reach `worker`, as `no connection to host:2222: Connection refused`;
    /// null if the worker was not dialled or no reason is known.
    @Nullable
    public String obstacle(String worker) {
        PeerChannel channel = channels.get(worker);
        return channel == null ? null : channel.obstacle();
    }

    /// Ends every call, and waits until `limit` for the connections to close.
    public void close(Deadline limit) {
        closed = true;
        var open = new ArrayList<>(channels.values());
        open.forEach(channel -> channel.grpc().shutdownNow());
        try {
            for (PeerChannel channel : open) {
                channel.grpc().awaitTermination(limit.remaining().toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
