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

/// Configures and starts a [TransportServer].
///
/// Threading: one thread.
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

    /// Sets the description of the cluster, including this worker. Required.
    public TransportServerBuilder cluster(ClusterSpec cluster) {
        this.cluster = cluster;
        return this;
    }

    /// Sets this worker's job. Required.
    public TransportServerBuilder job(String job) {
        this.job = job;
        return this;
    }

    /// Sets this worker's task within its job. Required.
    public TransportServerBuilder task(int task) {
        this.task = task;
        return this;
    }

    /// Sets the protocol, `grpc+verbs` (the default) or `grpc`.
    public TransportServerBuilder protocol(String protocol) {
        this.protocol = protocol;
        return this;
    }

    /// Sets cluster, job, task and protocol.
    public TransportServerBuilder config(ServerConfig config) {
        return cluster(config.cluster()).job(config.job()).task(config.task()).protocol(config.protocol());
    }

    /// Sets the executor of receives' callbacks; by default each callback runs on a new virtual thread. The caller
    /// shuts the executor down after the server.
    ///
    /// One thread of the transport submits callbacks to the executor, so a submission may block, and `Runnable::run`
    /// runs the callbacks on that thread one after another. A callback that the executor rejects runs on a virtual
    /// thread of the transport. Such callbacks are counted ([TransportStatistics#refusedCallbacks()]), and the first is
    /// logged.
    public TransportServerBuilder callbackExecutor(Executor callbacks) {
        this.callbacks = callbacks;
        this.callbacksOnLoop = false;
        return this;
    }

    /// Runs callbacks on the thread that ends the receive, which saves a thread switch: the transport's loop, or the
    /// thread that cancels the receive.
    ///
    /// A callback must not wait, run for long, or stop the server: the loop receives nothing meanwhile. Exceptions of a
    /// callback are logged.
    public TransportServerBuilder callbacksOnLoop() {
        this.callbacks = null;
        this.callbacksOnLoop = true;
        return this;
    }

    /// Sets the local address to listen on, if it differs from this worker's address in the cluster: behind address
    /// translation, or for the wildcard address. The port is always the cluster's.
    public TransportServerBuilder bindAddress(InetAddress address) {
        this.bindAddress = address;
        return this;
    }

    /// Sets when the server connects to its peers; [DialPolicy#ON_FIRST_USE] by default.
    public TransportServerBuilder dialPolicy(DialPolicy policy) {
        this.dialPolicy = policy;
        return this;
    }

    /// Sets how long a receive waits for a peer that has not started yet before it ends with `UNAVAILABLE`; by default
    /// 30 s.
    ///
    /// @throws IllegalArgumentException if `timeout` is not positive
    public TransportServerBuilder connectTimeout(Duration timeout) {
        this.connectTimeout = PeerTimeouts.requirePositive("connect timeout", timeout);
        return this;
    }

    /// Sets how long a receive waits for a peer that was reached before and is gone, before it ends with `UNAVAILABLE`;
    /// by default 3 s.
    ///
    /// @throws IllegalArgumentException if `timeout` is not positive
    public TransportServerBuilder reconnectTimeout(Duration timeout) {
        this.reconnectTimeout = PeerTimeouts.requirePositive("reconnect timeout", timeout);
        return this;
    }

    /// Sets the limits of queued sends, requests and steps, and of the size of a received tensor.
    public TransportServerBuilder limits(RendezvousLimits limits) {
        this.limits = limits;
        return this;
    }

    /// Sets the device, port and GID, and how they are used; by default from the `RDMA_*` environment variables. For
    /// `grpc+verbs`.
    public TransportServerBuilder rdmaConfig(RdmaConfig config) {
        this.rdmaConfig = config;
        return this;
    }

    /// Sets the requirement on the device; by default from the [RdmaConfig], which accepts any device unless
    /// `RDMA_REQUIRE` is set. With [DeviceRequirement#HARDWARE], the server fails to start instead of using the
    /// software device. For `grpc+verbs`.
    public TransportServerBuilder require(DeviceRequirement requirement) {
        this.requirement = requirement;
        return this;
    }

    /// Sets the fallback that carries receives while no channel to their peer can be established; by default from the
    /// [RdmaConfig]. Without a fallback, the default unless `RDMA_FALLBACK` is set, such receives end with
    /// `UNAVAILABLE`. All workers should use the same setting. For `grpc+verbs`.
    public TransportServerBuilder fallback(Fallback fallback) {
        this.fallback = fallback;
        return this;
    }

    /// Sets how channels to peers are established and monitored. [#connectTimeout] and [#reconnectTimeout], if called,
    /// override the timeouts of `options`. For `grpc+verbs`.
    public TransportServerBuilder channelOptions(ChannelOptions options) {
        this.channelOptions = options;
        return this;
    }

    /// Sets how registered memory is allocated from the system, and its limit. For `grpc+verbs`.
    public TransportServerBuilder memoryOptions(MemoryOptions options) {
        this.memoryOptions = options;
        return this;
    }

    /// Sets checksums and the size of the metadata cache. For `grpc+verbs`.
    public TransportServerBuilder rendezvousOptions(RendezvousOptions options) {
        this.rendezvousOptions = options;
        return this;
    }

    /// Sets the accelerators that this worker's tensors may be on. Each has a unique type and index, its name in keys,
    /// as `GPU:0`. The caller closes them after the server and all its tensors. For `grpc+verbs`.
    public TransportServerBuilder accelerators(List<Accelerator> devices) {
        this.accelerators = List.copyOf(devices);
        return this;
    }

    /// Sets how tensors are transferred to and from each accelerator. For `grpc+verbs`.
    public TransportServerBuilder acceleratorOptions(AcceleratorOptions options) {
        this.acceleratorOptions = options;
        return this;
    }

    /// Replaces the library's device providers, in order of preference. For `grpc+verbs`.
    public TransportServerBuilder verbsProviders(List<VerbsProvider> providers) {
        this.providers = List.copyOf(providers);
        return this;
    }

    /// Enables mutual TLS for all gRPC connections, at both ends; by default as the `RDMA_TLS_*` environment variables
    /// specify, or plaintext if they are not set. Contents that travel by RDMA are not encrypted.
    public TransportServerBuilder security(TransportSecurity security) {
        this.security = security;
        return this;
    }

    /// Sets whether the server may use plaintext beyond this machine; by default only if `RDMA_ALLOW_INSECURE=true` is
    /// set in the environment. In plaintext, the server cannot verify the worker name that a caller claims.
    public TransportServerBuilder allowInsecure(boolean allow) {
        this.allowInsecure = allow;
        return this;
    }

    /// Starts the server: when this returns, peers can connect.
    ///
    /// @throws IllegalArgumentException if a value, an accelerator or a TLS file is missing or wrong; the message names
    ///     it
    /// @throws io.tensorferry.grpc.security.PlaintextRefusedException if the server would use plaintext beyond this
    ///     machine without permission
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION` if the address is in use or does not belong
    ///     to this machine; another code if the device cannot be opened
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
                    "{} speaks plaintext beyond this machine ({}): any host in that network can pose as any worker",
                    config.workerName(),
                    String.join(", ", waysOut));
        }
    }

    private VerbsOptions verbsOptions(WorkerAddress own, InetAddress listening) {
        // A device needs a concrete address: for the wildcard address, use the address that the cluster announces to
        // peers.
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

    /// Returns the channel options with the timeouts of this builder, if set.
    private ChannelOptions channelOptions() {
        return channelOptions.withTimeouts(
                Objects.requireNonNullElse(connectTimeout, channelOptions.connectTimeout()),
                Objects.requireNonNullElse(reconnectTimeout, channelOptions.reconnectTimeout()));
    }
}
