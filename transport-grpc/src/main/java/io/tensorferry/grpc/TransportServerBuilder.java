package io.tensorferry.grpc;

import io.tensorferry.api.Accelerator;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.peer.PeerTimeouts;
import io.tensorferry.grpc.security.PlaintextRule;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.DeviceRequirement;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.device.VerbsProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Describes a [TransportServer] and starts it. For one thread.
public final class TransportServerBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(TransportServerBuilder.class);

    private @Nullable ClusterSpec cluster;
    private @Nullable String job;
    private @Nullable Integer task;
    private String protocol = ServerConfig.GRPC_VERBS;
    private @Nullable Executor callbacks;
    private boolean callbacksOnLoop;
    private @Nullable InetAddress bindAddress;
    private DialPolicy dialPolicy = DialPolicy.ON_FIRST_USE;
    private @Nullable Duration connectTimeout;
    private @Nullable Duration reconnectTimeout;
    private RendezvousLimits limits = RendezvousLimits.defaults();
    private @Nullable RdmaConfig rdmaConfig;
    private @Nullable DeviceRequirement requirement;
    private @Nullable Fallback fallback;
    private ChannelOptions channelOptions = ChannelOptions.defaults();
    private MemoryOptions memoryOptions = MemoryOptions.defaults();
    private RendezvousOptions rendezvousOptions = RendezvousOptions.defaults();
    private List<Accelerator> accelerators = List.of();
    private AcceleratorOptions acceleratorOptions = AcceleratorOptions.defaults();
    private @Nullable List<VerbsProvider> providers;
    private @Nullable TransportSecurity security;
    private @Nullable Boolean allowInsecure;

    TransportServerBuilder() {}

    /// All workers, this one too.
    public TransportServerBuilder cluster(ClusterSpec cluster) {
        this.cluster = cluster;
        return this;
    }

    /// This worker's job.
    public TransportServerBuilder job(String job) {
        this.job = job;
        return this;
    }

    /// This worker's task within its job.
    public TransportServerBuilder task(int task) {
        this.task = task;
        return this;
    }

    /// `grpc+verbs` (the default) or `grpc`.
    public TransportServerBuilder protocol(String protocol) {
        this.protocol = protocol;
        return this;
    }

    /// Cluster, job, task and protocol at once.
    public TransportServerBuilder config(ServerConfig config) {
        return cluster(config.cluster()).job(config.job()).task(config.task()).protocol(config.protocol());
    }

    /// Where the callbacks of receives run; by default each on a virtual thread of its own. The executor stays the
    /// caller's to shut down, after the server.
    ///
    /// One thread of the transport hands callbacks to it, so it may wait, and `Runnable::run` runs them on that thread,
    /// one after the other. A callback that it rejects runs on a virtual thread of the transport's; such callbacks are
    /// counted ([TransportStatistics#refusedCallbacks()]) and the first is logged.
    public TransportServerBuilder callbackExecutor(Executor callbacks) {
        this.callbacks = callbacks;
        this.callbacksOnLoop = false;
        return this;
    }

    /// Runs the callbacks of receives where the receives end, which saves their way to another thread: on the
    /// transport's loop, or on the thread that gives a receive up. None of them may wait for anything, take long, or
    /// stop the server: meanwhile nothing is received from anybody. What a callback throws is logged.
    public TransportServerBuilder callbacksOnLoop() {
        this.callbacks = null;
        this.callbacksOnLoop = true;
        return this;
    }

    /// The local address to listen on, where it is not the one that the cluster gives this worker: behind address
    /// translation, or the wildcard address. The port stays the cluster's.
    public TransportServerBuilder bindAddress(InetAddress address) {
        this.bindAddress = address;
        return this;
    }

    /// [DialPolicy#ON_FIRST_USE] by default.
    public TransportServerBuilder dialPolicy(DialPolicy policy) {
        this.dialPolicy = policy;
        return this;
    }

    /// How long a receive waits for a peer that has not started yet before it ends with `UNAVAILABLE`; 30 s by
    /// default.
    public TransportServerBuilder connectTimeout(Duration timeout) {
        this.connectTimeout = PeerTimeouts.requirePositive("connect timeout", timeout);
        return this;
    }

    /// How long a receive waits for a peer that was there and has gone, before it ends with `UNAVAILABLE`; 3 s by
    /// default.
    public TransportServerBuilder reconnectTimeout(Duration timeout) {
        this.reconnectTimeout = PeerTimeouts.requirePositive("reconnect timeout", timeout);
        return this;
    }

    /// What may pile up in this worker, and how large a tensor it receives.
    public TransportServerBuilder limits(RendezvousLimits limits) {
        this.limits = limits;
        return this;
    }

    /// Which device, port and GID to use, and how; by default what the `RDMA_*` variables of the environment say.
    /// For `grpc+verbs`.
    public TransportServerBuilder rdmaConfig(RdmaConfig config) {
        this.rdmaConfig = config;
        return this;
    }

    /// What the device must be; by default what the [RdmaConfig] says, which is anything unless `RDMA_REQUIRE` is set.
    /// With [DeviceRequirement#HARDWARE] the server does not start where it would have to take the software device. For
    /// `grpc+verbs`.
    public TransportServerBuilder require(DeviceRequirement requirement) {
        this.requirement = requirement;
        return this;
    }

    /// What carries receives while no channel to their peer can be had; by default what the [RdmaConfig] says, which is
    /// nothing unless `RDMA_FALLBACK` is set: they end with `UNAVAILABLE`. All workers should be given the same. For
    /// `grpc+verbs`.
    public TransportServerBuilder fallback(Fallback fallback) {
        this.fallback = fallback;
        return this;
    }

    /// How channels to peers are made and watched; [#connectTimeout] and [#reconnectTimeout], where they are called,
    /// hold in the place of its own. For `grpc+verbs`.
    public TransportServerBuilder channelOptions(ChannelOptions options) {
        this.channelOptions = options;
        return this;
    }

    /// How registered memory is taken from the system, and how much of it at most. For `grpc+verbs`.
    public TransportServerBuilder memoryOptions(MemoryOptions options) {
        this.memoryOptions = options;
        return this;
    }

    /// Checksums, and how much metadata is remembered. For `grpc+verbs`.
    public TransportServerBuilder rendezvousOptions(RendezvousOptions options) {
        this.rendezvousOptions = options;
        return this;
    }

    /// The accelerators that this worker's tensors may be on, each with a type and index of its own: those are its name
    /// in keys, as `GPU:0`. They stay the caller's, to close after the server and all its tensors. For `grpc+verbs`.
    public TransportServerBuilder accelerators(List<Accelerator> devices) {
        this.accelerators = List.copyOf(devices);
        return this;
    }

    /// How tensors get to each accelerator and from it. For `grpc+verbs`.
    public TransportServerBuilder acceleratorOptions(AcceleratorOptions options) {
        this.acceleratorOptions = options;
        return this;
    }

    /// Where devices come from, in order of preference, instead of this library's own. For `grpc+verbs`.
    public TransportServerBuilder verbsProviders(List<VerbsProvider> providers) {
        this.providers = List.copyOf(providers);
        return this;
    }

    /// Mutual TLS for everything that gRPC carries, at both ends; by default as the `RDMA_TLS_*` variables of the
    /// environment say, and plaintext where they are not set. Contents that travel by RDMA are not encrypted.
    public TransportServerBuilder security(TransportSecurity security) {
        this.security = security;
        return this;
    }

    /// Whether the server may speak plaintext beyond this machine; by default only if the environment has
    /// `RDMA_ALLOW_INSECURE=true`. Whoever reaches the server is then served as whoever he says he is.
    public TransportServerBuilder allowInsecure(boolean allow) {
        this.allowInsecure = allow;
        return this;
    }

    /// Starts the server: when this returns, peers can connect.
    ///
    /// @throws IllegalArgumentException naming the value, the accelerator or the file of the TLS that is missing or
    ///     wrong
    /// @throws io.tensorferry.grpc.security.PlaintextRefusedException if the server would speak plaintext beyond this
    /// machine and nobody has
    ///     allowed it
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION` if the address is in use or not this
    ///     machine's; another code if the device cannot be opened
    public TransportServer start() {
        if (cluster == null || job == null || task == null) {
            throw new IllegalArgumentException("a server needs cluster(...), job(...) and task(...); missing: "
                    + (cluster == null ? "cluster " : "") + (job == null ? "job " : "") + (task == null ? "task" : ""));
        }
        var config = new ServerConfig(cluster, job, task, protocol);
        RdmaConfig.warnOfUnknown(System.getenv());
        if (protocol.equals(ServerConfig.GRPC) && !accelerators.isEmpty()) {
            throw new IllegalArgumentException("the accelerators " + accelerators + " need the protocol '"
                    + ServerConfig.GRPC_VERBS + "', not '" + ServerConfig.GRPC + "'");
        }
        if (protocol.equals(ServerConfig.GRPC) && requirement == DeviceRequirement.HARDWARE) {
            throw new IllegalArgumentException("require(" + requirement + ") needs the protocol '"
                    + ServerConfig.GRPC_VERBS + "'; '" + ServerConfig.GRPC + "' uses no device");
        }
        WorkerAddress own = cluster.addressOf(job, task);
        InetAddress address = Objects.requireNonNullElseGet(bindAddress, own::resolve);
        TransportSecurity tls = security != null
                ? security
                : TransportSecurity.fromEnvironment().orElse(null);
        if (tls == null) {
            checkPlaintext(config, address);
        }
        VerbsOptions verbs = config.protocol().equals(ServerConfig.GRPC) ? null : verbsOptions(own, address);
        return TransportServer.start(new ServerOptions(
                config, address, own.port(), callbacks, callbacksOnLoop, dialPolicy, timeouts(), limits, verbs, tls));
    }

    private void checkPlaintext(ServerConfig config, InetAddress address) {
        List<String> waysOut = PlaintextRule.waysOut(config, address);
        boolean allowed = allowInsecure != null ? allowInsecure : PlaintextRule.allowedBy(System.getenv());
        if (!allowed) {
            PlaintextRule.refuse(config, waysOut);
        } else if (!waysOut.isEmpty()) {
            LOG.warn(
                    "{} speaks plaintext beyond this machine ({}): whoever is in that network can pose as any worker",
                    config.workerName(),
                    String.join(", ", waysOut));
        }
    }

    private VerbsOptions verbsOptions(WorkerAddress own, InetAddress listening) {
        // A device has one address: where the server listens on all, it is the one that peers are told.
        InetAddress address = listening.isAnyLocalAddress() ? own.resolve() : listening;
        RdmaConfig config = rdmaConfig != null ? rdmaConfig : RdmaConfig.fromEnvironment();
        if (requirement != null) {
            config = config.withRequire(requirement);
        }
        return new VerbsOptions(
                fallback == null ? config : config.withFallback(fallback),
                channelOptions(),
                memoryOptions,
                rendezvousOptions,
                accelerators,
                acceleratorOptions,
                providers != null ? providers : VerbsProviders.forHost(address, config));
    }

    private PeerTimeouts timeouts() {
        PeerTimeouts defaults = PeerTimeouts.defaults();
        return new PeerTimeouts(
                Objects.requireNonNullElse(connectTimeout, defaults.connect()),
                Objects.requireNonNullElse(reconnectTimeout, defaults.reconnect()),
                defaults.call());
    }

    /// What was said of the server itself holds for its channels too.
    private ChannelOptions channelOptions() {
        return channelOptions.withTimeouts(
                Objects.requireNonNullElse(connectTimeout, channelOptions.connectTimeout()),
                Objects.requireNonNullElse(reconnectTimeout, channelOptions.reconnectTimeout()));
    }
}
