package io.tensorferry.grpc.admission;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Tracks and limits the open connections of the server, so that strangers cannot exhaust it.
///
/// Connections without a peer's certificate are limited in total and per address. Each peer has a separate quota that
/// strangers cannot use.
///
/// Threading: any thread. Connections are closed outside the lock.
public final class Connections {
    private final ConnectionLimits limits;
    private final Refusals refusals;
    // Whether callers must present certificates: a connection that ends before it is proven was refused or abandoned.
    private final boolean proofNeeded;
    // All guarded by this.
    private final Map<SocketAddress, Connection> open = new HashMap<>();
    private final Map<InetAddress, Integer> unprovenAt = new HashMap<>();
    private final Map<Set<String>, Deque<Connection>> proven = new HashMap<>();
    private int unproven;

    private static final class Connection {
        private final Channel channel;
        private final InetSocketAddress remote;
        private @Nullable Set<String> owners;

        Connection(Channel channel, InetSocketAddress remote) {
            this.channel = channel;
            this.remote = remote;
        }
    }

    /// @param proofNeeded whether callers present certificates
    public Connections(ConnectionLimits limits, Refusals refusals, boolean proofNeeded) {
        this.limits = limits;
        this.refusals = refusals;
        this.proofNeeded = proofNeeded;
    }

    /// Whether a connection that was just accepted may stay open; if so, it counts until it is closed.
    boolean admit(Channel channel) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // The other end has already closed the connection.
            return false;
        }
        String refusal = add(new Connection(channel, remote));
        if (refusal != null) {
            refusals.connection(refusal);
            return false;
        }
        if (!proofNeeded) {
            var _ = channel.pipeline().addFirst(new PrefaceCheck(refusals));
        }
        var _ = channel.closeFuture().addListener(_ -> closed(remote));
        return true;
    }

    private synchronized @Nullable String add(Connection connection) {
        InetAddress host = connection.remote.getAddress();
        int atHost = unprovenAt.getOrDefault(host, 0);
        if (atHost >= limits.unprovenPerHost()) {
            return host.getHostAddress() + " has " + atHost + " unauthenticated connections, which is the limit";
        }
        if (unproven >= limits.unproven()) {
            return unproven + " connections are unauthenticated, which is the limit";
        }
        open.put(connection.remote, connection);
        unprovenAt.put(host, atHost + 1);
        unproven++;
        return null;
    }

    /// Records that the connection from `remote` presented the certificate of `owners`. If the owners exceed their
    /// quota, their oldest connection is closed: a restarted peer may have left some behind.
    void prove(@Nullable SocketAddress remote, Set<String> owners) {
        Connection oldest = null;
        synchronized (this) {
            Connection connection = open.get(remote);
            if (connection == null || connection.owners != null || owners.isEmpty()) {
                return;
            }
            forgetUnproven(connection);
            connection.owners = owners;
            Deque<Connection> theirs = proven.computeIfAbsent(owners, _ -> new ArrayDeque<>());
            theirs.add(connection);
            if (theirs.size() > limits.perWorker() * owners.size()) {
                oldest = theirs.poll();
            }
        }
        if (oldest != null) {
            refusals.connection(owners + " has more than " + limits.perWorker() * owners.size()
                    + " connections; the oldest is closed");
            var _ = oldest.channel.close();
        }
    }

    private void closed(SocketAddress remote) {
        boolean refused;
        synchronized (this) {
            Connection connection = open.remove(remote);
            if (connection == null) {
                return;
            }
            Set<String> owners = connection.owners;
            refused = owners == null && proofNeeded;
            if (owners == null) {
                forgetUnproven(connection);
            } else {
                Deque<Connection> theirs = proven.get(owners);
                if (theirs != null) {
                    theirs.remove(connection);
                    if (theirs.isEmpty()) {
                        proven.remove(owners);
                    }
                }
            }
        }
        if (refused) {
            refusals.connection("the one from " + remote + " did not show the certificate of a peer");
        }
    }

    private void forgetUnproven(Connection connection) {
        unproven--;
        unprovenAt.computeIfPresent(
                connection.remote.getAddress(), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    synchronized int count() {
        return open.size();
    }
}
