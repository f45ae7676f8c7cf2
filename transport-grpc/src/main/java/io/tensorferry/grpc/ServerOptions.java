package io.tensorferry.grpc;

import java.net.InetAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// What a server is started with, checked. Immutable.
///
/// @param callbacks the user's executor, or null for the server's own
record ServerOptions(
        ServerConfig config,
        InetAddress bindAddress,
        int port,
        @Nullable Executor callbacks,
        DialPolicy dialPolicy,
        PeerTimeouts timeouts) {}
