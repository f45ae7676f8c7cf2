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

/// The gRPC server of a worker, bounded in everything that a caller can make it hold.
final class ListeningEnd {
    // A request holds a key, an offer the addresses of at most 65 queue pairs.
    private static final int MAX_REQUEST_BYTES = 64 << 10;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final int FLOW_CONTROL_WINDOW = 1 << 20;
    // Who opens a connection and says nothing does not keep it for longer.
    private static final int HANDSHAKE_SECONDS = 10;
    private static final int IDLE_SECONDS = 300;

    private ListeningEnd() {}

    /// @param tls null for plaintext
    /// @throws TransportException `FAILED_PRECONDITION` if the address is in use or not this machine's
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

    /// Before a device is opened and memory registered: both would fail at an address that is not this machine's, and
    /// not say so as plainly.
    ///
    /// @throws TransportException `FAILED_PRECONDITION` if the address to listen on is not this machine's
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
