package io.tensorferry.grpc.peer;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.StatusOr;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Looks up the host of one worker for its channel, and keeps the reason where that fails.
///
/// It takes the place of gRPC's own resolver, which logs a stack trace for each lookup that fails, and which gRPC finds
/// by a service file that a shaded jar may lack. A host that cannot be resolved is handed over unresolved: the attempt
/// to connect then fails as any other does.
///
/// Threading: lookups run on the given executor; [#failure()] on any thread.
public final class PeerLookup extends NameResolver.Factory {
    private final WorkerAddress address;
    private final Hosts hosts;
    private final Executor executor;
    private volatile @Nullable UnknownHostException failure;

    /// Knows the addresses of hosts.
    public interface Hosts {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    /// @param executor for lookups, which block
    public PeerLookup(WorkerAddress address, Hosts hosts, Executor executor) {
        this.address = address;
        this.hosts = hosts;
        this.executor = executor;
    }

    /// Why the host cannot be resolved, as the latest lookup found; null if it can be, or nobody has looked yet.
    @Nullable
    public String failure() {
        UnknownHostException known = failure;
        return known == null ? null : "host '" + address.host() + "' cannot be resolved" + detail(known);
    }

    /// What the system says beside the name, as `: Temporary failure in name resolution`.
    private String detail(UnknownHostException known) {
        String message = String.valueOf(known.getMessage());
        String prefix = address.host() + ": ";
        return message.startsWith(prefix) ? ": " + message.substring(prefix.length()) : "";
    }

    private InetAddress[] resolve() throws UnknownHostException {
        try {
            InetAddress[] found = hosts.addressesOf(address.host());
            failure = null;
            return found;
        } catch (UnknownHostException e) {
            UnknownHostException known = failure;
            // The JDK remembers a failure for some seconds, but not what the system said of it.
            if (known == null || !detail(e).isEmpty()) {
                failure = e;
            }
            throw e;
        }
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        return new Resolver(args);
    }

    @Override
    public String getDefaultScheme() {
        return "tensorferry";
    }

    /// The channel calls it within its synchronization context, which owns the fields.
    private final class Resolver extends NameResolver {
        private final Args args;
        private @Nullable Listener2 listener;
        private boolean looking;

        Resolver(Args args) {
            this.args = args;
        }

        @Override
        public String getServiceAuthority() {
            return address.toString();
        }

        @Override
        public void start(Listener2 told) {
            listener = told;
            refresh();
        }

        @Override
        public void refresh() {
            if (listener == null || looking) {
                return;
            }
            looking = true;
            try {
                executor.execute(() -> {
                    ResolutionResult result = look();
                    args.getSynchronizationContext().execute(() -> tell(result));
                });
            } catch (RejectedExecutionException _) {
                // The server has stopped, and its channels with it.
            }
        }

        private ResolutionResult look() {
            return ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(addresses()))
                    .build();
        }

        private List<EquivalentAddressGroup> addresses() {
            var unresolved = InetSocketAddress.createUnresolved(address.host(), address.port());
            try {
                SocketAddress proxy = args.getProxyDetector().proxyFor(unresolved);
                if (proxy != null) {
                    return List.of(new EquivalentAddressGroup(proxy));
                }
                return Arrays.stream(resolve())
                        .map(each -> new EquivalentAddressGroup(new InetSocketAddress(each, address.port())))
                        .toList();
            } catch (IOException _) {
                return List.of(new EquivalentAddressGroup(unresolved));
            }
        }

        private void tell(ResolutionResult result) {
            looking = false;
            if (listener != null) {
                var _ = listener.onResult2(result);
            }
        }

        @Override
        public void shutdown() {
            listener = null;
        }
    }
}
