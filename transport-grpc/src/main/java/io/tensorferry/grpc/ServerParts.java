package io.tensorferry.grpc;

import io.grpc.Server;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.admission.Refusals;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.peer.Deadline;
import io.tensorferry.grpc.peer.PeerChannels;
import io.tensorferry.grpc.peer.ServerThreads;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.grpc.security.tls.Tls;
import io.tensorferry.verbs.rendezvous.ReceiveTimer;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The components of a running server, in order of creation; they are closed in reverse order.
///
/// @param tls null for plaintext
record ServerParts(
        ServerThreads threads,
        @Nullable Tls tls,
        PeerChannels peers,
        WorkerTransport transport,
        Server server,
        PeerDialer dialer,
        Refusals refusals) {
    // For steps that do not depend on peers or users: closing sockets, queue pairs and threads.
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    static ServerParts start(ServerOptions options) {
        ServerConfig config = options.config();
        String worker = config.workerName();
        ListeningEnd.requireLocal(options);
        var refusals = new Refusals(worker, System::nanoTime);
        var threads = new ServerThreads(worker, options.callbacks(), options.callbacksOnLoop());
        Tls tls = null;
        PeerChannels peers = null;
        WorkerTransport transport = null;
        try {
            TransportSecurity security = options.security();
            tls = security == null ? null : Tls.open(security, worker, threads.timer());
            peers = new PeerChannels(config.cluster().addresses(), threads, options.timeouts(), tls);
            var callers = new Callers(
                    worker, config.cluster().workers(), security == null ? null : security.identity(), refusals);
            transport = openTransport(options, threads, peers, callers);
            Server server = ListeningEnd.start(options, threads, transport, tls, callers, refusals);
            Set<String> others = new HashSet<>(config.cluster().workers());
            others.remove(worker);
            var dialer = new PeerDialer(worker, others, transport, threads.timer(), peers::obstacle);
            if (options.dialPolicy() == DialPolicy.AT_START) {
                dialer.startAll();
            }
            return new ServerParts(threads, tls, peers, transport, server, dialer, refusals);
        } catch (RuntimeException e) {
            var now = new Deadline(Duration.ZERO);
            if (transport != null) {
                transport.close();
            }
            if (peers != null) {
                peers.close(new Deadline(END_LIMIT));
            }
            if (tls != null) {
                tls.close();
            }
            threads.close(now, new Deadline(END_LIMIT));
            throw e;
        }
    }

    private static WorkerTransport openTransport(
            ServerOptions options, ServerThreads threads, PeerChannels peers, Callers callers) {
        ServerConfig config = options.config();
        var worker = new WorkerContext(
                config.workerName(),
                config.cluster().workers(),
                threads.callbacks(),
                ReceiveTimer.of(threads.timer()),
                options.limits(),
                peers::obstacle);
        long incarnation = drawIncarnation();
        if (config.protocol().equals(ServerConfig.GRPC)) {
            return new GrpcTransport(worker, incarnation, peers, callers, threads.handlers());
        }
        return VerbsTransport.open(
                worker,
                incarnation,
                peers,
                callers,
                threads.handlers(),
                Objects.requireNonNull(options.verbs(), "verbs"));
    }

    private static long drawIncarnation() {
        long drawn;
        do {
            drawn = new SecureRandom().nextLong();
        } while (drawn == 0);
        return drawn;
    }

    /// Stops the server: refuses new work, lets responses to peers and callbacks end within `grace`, then closes all
    /// components, children before parents.
    void close(Duration grace) {
        var patience = new Deadline(grace);
        dialer.close();
        server.shutdown();
        try {
            transport.closeSteps();
            transport.awaitTransfers(patience);
            await(server, patience);
        } finally {
            end(patience);
        }
    }

    /// Runs each step even if an earlier one throws, so that a stopped server leaves no thread behind.
    private void end(Deadline patience) {
        var limit = new Deadline(patience.remaining().plus(END_LIMIT));
        try {
            server.shutdownNow();
            transport.close();
        } finally {
            try {
                peers.close(limit);
                if (tls != null) {
                    tls.close();
                }
                await(server, limit);
            } finally {
                threads.close(patience, limit);
            }
        }
    }

    private static void await(Server server, Deadline deadline) {
        try {
            server.awaitTermination(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
