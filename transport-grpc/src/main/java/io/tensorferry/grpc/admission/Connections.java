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

/// The connections that are open at the listening end, so that strangers cannot exhaust it: those who have not proved
/// to be peers are bounded, all together and for each address; a peer has a few of its own, which strangers cannot
/// take.
///
/// Threading: any thread. Connections are closed outside the lock.
public final class Connections {
    private final ConnectionLimits limits;
    private final Refusals refusals;
    // Callers must prove themselves: a connection that ends before it did was refused, or gave up.
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

    /// @param proofNeeded whether callers show certificates
    public Connections(ConnectionLimits limits, Refusals refusals, boolean proofNeeded) {
        this.limits = limits;
        this.refusals = refusals;
        this.proofNeeded = proofNeeded;
    }

    /// Whether a connection that has just been accepted may stay; from then on until it is closed it counts.
    boolean admit(Channel channel) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // It has been closed by its other end already.
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
            return host.getHostAddress() + " has " + atHost + " connections that prove nothing, which is the limit";
        }
        if (unproven >= limits.unproven()) {
            return unproven + " connections prove nothing, which is the limit";
        }
        open.put(connection.remote, connection);
        unprovenAt.put(host, atHost + 1);
        unproven++;
        return null;
    }

    /// The connection from `remote` has shown the certificate of `owners`. Of too many of theirs the oldest is closed:
    /// a peer that was restarted may have left some behind.
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
