package io.tensorferry.grpc;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.admission.CallerFilter;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.admission.ConnectionLimits;
import io.tensorferry.grpc.admission.Connections;
import io.tensorferry.grpc.admission.LimitedServerChannel;
import io.tensorferry.grpc.admission.Refusals;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.peer.ServerThreads;
import io.tensorferry.grpc.security.tls.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Configures and starts a worker's gRPC server, with a bound on every resource that a caller can consume.
final class ListeningEnd {
    // A request contains a key; an offer, the addresses of at most 65 queue pairs.
    private static final int MAX_REQUEST_BYTES = 64 << 10;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final int FLOW_CONTROL_WINDOW = 1 << 20;
    // Bounds the life of a connection that stays silent.
    private static final int HANDSHAKE_SECONDS = 10;
    private static final int IDLE_SECONDS = 300;

    private ListeningEnd() {}

    /// Starts the server.
    ///
    /// @param tls null for plaintext
    /// @throws TransportException `FAILED_PRECONDITION` if the address is in use or does not belong to this machine
    static Server start(
            ServerOptions options,
            ServerThreads threads,
            WorkerTransport transport,
            @Nullable Tls tls,
            Callers callers,
            Refusals refusals) {
        Set<String> workers = options.config().cluster().workers();
        var connections = new Connections(ConnectionLimits.forCluster(workers.size()), refusals, tls != null);
        var filter = new CallerFilter(callers, connections);
        var address = new InetSocketAddress(options.bindAddress(), options.port());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(threads.eventLoops())
                .workerEventLoopGroup(threads.eventLoops())
                .channelFactory(() -> new LimitedServerChannel(connections))
                .executor(threads.handlers())
                .maxInboundMessageSize(MAX_REQUEST_BYTES)
                .maxInboundMetadataSize(MAX_HEADER_BYTES)
                .maxConcurrentCallsPerConnection(transport.maxCallsPerConnection())
                .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .maxConnectionIdle(IDLE_SECONDS, TimeUnit.SECONDS)
                .flowControlWindow(FLOW_CONTROL_WINDOW)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .addTransportFilter(filter)
                .intercept(filter);
        if (tls != null) {
            builder.sslContext(tls.serverContext());
        }
        transport.services().forEach(builder::addService);
        try {
            return builder.build().start();
        } catch (IOException e) {
            throw refused(options, e.getCause() == null ? e : e.getCause(), "a free port of this machine");
        }
    }

    /// Checks the bind address before a device is opened and memory registered. Both would fail at a foreign address,
    /// with a less clear message.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if the bind address does not belong to this machine
    static void requireLocal(ServerOptions options) {
        try (var probe = new Socket()) {
            probe.bind(new InetSocketAddress(options.bindAddress(), 0));
        } catch (IOException e) {
            throw refused(options, e, "an address of this machine");
        }
    }

    private static TransportException refused(ServerOptions options, Throwable cause, String needed) {
        return new TransportException(
                StatusCode.FAILED_PRECONDITION,
                options.config().workerName() + " cannot listen on "
                        + new WorkerAddress(options.bindAddress().getHostAddress(), options.port()) + ": "
                        + cause.getMessage() + "; the cluster must give it " + needed
                        + ", or bindAddress(...) a local address",
                cause);
    }
}
