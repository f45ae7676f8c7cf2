package io.tensorferry.grpc;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.peer.PeerTimeouts;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.net.InetAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The validated options of a server. Immutable.
///
/// @param bindAddress the local address of the gRPC server
/// @param port the port of the gRPC server
/// @param callbacks the user's executor, or null for the server's own
/// @param callbacksOnLoop whether callbacks run on the thread that ends the receive, without an executor
/// @param verbs null for the protocol `grpc`
/// @param security null for plaintext
record ServerOptions(
        ServerConfig config,
        InetAddress bindAddress,
        int port,
        @Nullable Executor callbacks,
        boolean callbacksOnLoop,
        DialPolicy dialPolicy,
        PeerTimeouts timeouts,
        RendezvousLimits limits,
        @Nullable VerbsOptions verbs,
        @Nullable TransportSecurity security) {}
