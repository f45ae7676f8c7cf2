package io.tensorferry.grpc;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.peer.PeerTimeouts;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.net.InetAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// What a server is started with, checked. Immutable.
///
/// @param bindAddress where the gRPC server listens
/// @param port the port there
/// @param callbacks the user's executor, or null for the server's own
/// @param callbacksOnLoop whether callbacks run where receives end, and on no executor
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
