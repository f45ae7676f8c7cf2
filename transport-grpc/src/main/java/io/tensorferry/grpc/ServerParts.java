package io.tensorferry.grpc;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.ReceiveTimer;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// What a running server is made of, in the order of its making; it is taken apart in the other order.
record ServerParts(
        ServerThreads threads, PeerChannels peers, WorkerTransport transport, Server server, PeerDialer dialer) {
    // A request holds a key, an offer the addresses of at most 65 queue pairs.
    private static final int MAX_REQUEST_BYTES = 64 << 10;
    private static final int FLOW_CONTROL_WINDOW = 1 << 20;

    static ServerParts start(ServerOptions options) {
        ServerConfig config = options.config();
        var threads = new ServerThreads(config.workerName(), options.callbacks());
        var peers = new PeerChannels(config.cluster().addresses(), threads, options.timeouts());
        WorkerTransport transport = null;
        try {
            transport = openTransport(options, threads, peers);
            Server server = listen(options, threads, transport);
            Set<String> others = new HashSet<>(config.cluster().workers());
            others.remove(config.workerName());
            var dialer = new PeerDialer(others, transport, threads.timer());
            if (options.dialPolicy() == DialPolicy.AT_START) {
                dialer.startAll();
            }
            return new ServerParts(threads, peers, transport, server, dialer);
        } catch (RuntimeException e) {
            if (transport != null) {
                transport.close();
            }
            peers.close();
            threads.close(Duration.ZERO);
            throw e;
        }
    }

    private static WorkerTransport openTransport(ServerOptions options, ServerThreads threads, PeerChannels peers) {
        ServerConfig config = options.config();
        var worker = new WorkerContext(
                config.workerName(),
                config.cluster().workers(),
                threads.callbacks(),
                ReceiveTimer.of(threads.timer()),
                options.limits());
        long incarnation = drawIncarnation();
        if (config.protocol().equals(ServerConfig.GRPC)) {
            return new GrpcTransport(worker, incarnation, peers, threads.handlers());
        }
        return VerbsTransport.open(worker, incarnation, peers, Objects.requireNonNull(options.verbs(), "verbs"));
    }

    private static long drawIncarnation() {
        long drawn;
        do {
            drawn = new SecureRandom().nextLong();
        } while (drawn == 0);
        return drawn;
    }

    private static Server listen(ServerOptions options, ServerThreads threads, WorkerTransport transport) {
        var address = new InetSocketAddress(options.bindAddress(), options.port());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(threads.eventLoops())
                .workerEventLoopGroup(threads.eventLoops())
                .channelType(NioServerSocketChannel.class)
                .executor(threads.handlers())
                .maxInboundMessageSize(MAX_REQUEST_BYTES)
                .flowControlWindow(FLOW_CONTROL_WINDOW)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true);
        transport.services().forEach(builder::addService);
        try {
            return builder.build().start();
        } catch (IOException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    options.config().workerName() + " cannot listen on " + address + ": " + cause.getMessage()
                            + "; the cluster must give it a free port of this machine, or bindAddress(...) a local address",
                    e);
        }
    }

    /// Nothing new comes in, what is open ends within `grace`, then everything is freed.
    void close(Duration grace) {
        dialer.close();
        server.shutdown();
        transport.closeSteps();
        awaitServer(grace);
        transport.close();
        peers.close();
        threads.close(grace);
    }

    private void awaitServer(Duration grace) {
        try {
            if (!server.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS)) {
                server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
