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

/// Resolves the host name of one worker for its channel, and keeps the reason of a failure.
///
/// It replaces gRPC's resolver, which logs a stack trace for each failed lookup and which gRPC finds through a service
/// file that a shaded jar may lack. A host that cannot be resolved is passed on unresolved, so that the connection
/// attempt fails in the usual way.
///
/// Threading: lookups run on the given executor; [#failure()] may be called from any thread.
public final class PeerLookup extends NameResolver.Factory {
    private final WorkerAddress address;
    private final Hosts hosts;
    private final Executor executor;
    private volatile @Nullable UnknownHostException failure;

    /// Resolves host names to addresses.
    public interface Hosts {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    /// @param executor runs lookups, which block
    public PeerLookup(WorkerAddress address, Hosts hosts, Executor executor) {
        this.address = address;
        this.hosts = hosts;
        this.executor = executor;
    }

    /// The reason why the latest lookup failed; null if it succeeded or no lookup has run.
    @Nullable
    public String failure() {
        UnknownHostException known = failure;
        return known == null ? null : "host '" + address.host() + "' cannot be resolved" + detail(known);
    }

    /// The system's reason without the host name, as `: Temporary failure in name resolution`.
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
            // The JDK caches a failed lookup for some seconds, but not the system's reason.
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

    /// The channel calls the resolver within its synchronization context, which guards the fields.
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
                // The server and its channels have stopped.
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
