package io.tensorferry.verbs.link;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.thread.TransportThread;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.channel.setup.CompletionVectors;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.loop.BackgroundThreads;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.LoopThread;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One worker's end of the verbs transport: a device, its registered memory, the loop, and the links to all peers.
///
/// Threading: any thread, except for methods documented as on the loop.
public final class RdmaAdapter implements ChannelSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaAdapter.class);

    private final ChannelContext context;
    private final PeerStatuses peers;
    private final DeviceHealth health;
    private final LinkContext shared;
    private final LoopRunner runner;
    private final Set<String> members;
    // Links to members of the cluster only.
    private final Map<String, PeerLink> links = new HashMap<>();
    // Set before the loop starts, and read on it.
    private @Nullable ChannelHandlers handlers;
    private boolean stopping;
    private boolean closed;

    private RdmaAdapter(
            RdmaAdapterOptions options, ChosenPort port, EndpointExchange exchange, AdapterRuntime runtime) {
        this.runner = runtime.runner();
        this.members = options.members();
        checkRing(options.channel(), port);
        warnOfWideWindows(options, port);
        ProtectionDomain domain = port.device().allocateProtectionDomain();
        CompletionChannel completions = port.device().createCompletionChannel();
        var loop = new CompletionLoop(completions, runtime.clock());
        this.context = new ChannelContext(
                options.workerName(),
                options.incarnation(),
                options.config(),
                options.channel(),
                options.piecesAtOnce(),
                port,
                domain,
                completions,
                new RegisteredMemory(
                        domain,
                        options.memory(),
                        options.config().forMemoryOf(port.device().description()),
                        port.device().numaNode(),
                        port.device().name()),
                loop,
                runtime.background(),
                new ChannelCounters(),
                new CompletionVectors(port.device(), runtime.random()),
                runtime.random());
        this.peers = new PeerStatuses();
        this.health = new DeviceHealth(port, options.config(), loop, runtime.background());
        this.shared = new LinkContext(context, exchange, peers, health);
        loop.onDeviceFailure(e -> {
            LOG.error(
                    "the completion channel of {} failed: the device is gone",
                    port.device().name(),
                    e);
            health.on(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0));
        });
    }

    private static void warnOfWideWindows(RdmaAdapterOptions options, ChosenPort port) {
        if (options.config().rkeyScope() == RemoteKeyScope.REQUEST
                && port.device().description().isSoftRoce()) {
            LOG.warn(
                    "RDMA_RKEY_SCOPE is request, but {} is Soft-RoCE: a request's key opens its whole slab, but only"
                            + " over one queue pair and until the content has arrived",
                    port.device().name());
        }
    }

    private static void checkRing(ChannelOptions channel, ChosenPort port) {
        int most = port.device().attributes().maxWorkRequests() - ConnectionParameters.RESERVED_RECEIVES;
        if (channel.ringSlots() > most) {
            throw new IllegalArgumentException("ringSlots " + channel.ringSlots() + " must be at most " + most + " on "
                    + port.device().name() + ", whose queues hold "
                    + port.device().attributes().maxWorkRequests() + " work requests");
        }
    }

    /// Opens an adapter with its own threads, the loop and a bounded pool for long work. [#start] starts it.
    ///
    /// @param port the device and port to use; the adapter takes ownership of the device
    /// @throws IllegalArgumentException if the ring has more slots than the device's queues have entries
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses
    public static RdmaAdapter open(RdmaAdapterOptions options, ChosenPort port, EndpointExchange exchange) {
        var runner = new LoopThread(
                "tensorferry-loop-" + port.device().name(),
                options.channel().spin().toNanos());
        var background =
                new BackgroundThreads("tensorferry-background-" + port.device().name() + "-");
        return new RdmaAdapter(
                options, port, exchange, new AdapterRuntime(System::nanoTime, runner, background, new SecureRandom()));
    }

    /// Opens an adapter on the given clock and threads; see [AdapterRuntime].
    ///
    /// @param port the device and port to use; the adapter takes ownership of the device
    public static RdmaAdapter open(
            RdmaAdapterOptions options, ChosenPort port, EndpointExchange exchange, AdapterRuntime runtime) {
        return new RdmaAdapter(options, port, exchange, runtime);
    }

    /// Starts the loop. Called once, before any other use of this adapter.
    ///
    /// @param handlers receive the events of the channels
    public void start(ChannelHandlers handlers) {
        this.handlers = handlers;
        context.port().device().onAsyncEvent(event -> context.loop().execute(() -> health.on(event)));
        runner.start(context.loop());
    }

    /// The most bytes of memory that one message names to a peer; larger contents are sent in pieces.
    public long mostNamedBytes() {
        return context.mostGrantedBytes();
    }

    /// The loop as an executor: commands of one thread run one after the other, in the order given.
    public CompletionLoop loop() {
        return context.loop();
    }

    /// Runs `action` on the loop after `delay`, unless the adapter is closed before. On the loop only.
    public void schedule(Duration delay, Runnable action) {
        context.loop().schedule(delay.toNanos(), action);
    }

    public ChannelOptions options() {
        return context.options();
    }

    public long incarnation() {
        return context.incarnation();
    }

    /// Executor for long-running work.
    public Executor background() {
        return context.background();
    }

    /// Source of numbers that a peer must not guess, or must not see twice. On the loop only.
    public RandomGenerator random() {
        return context.random();
    }

    public RegisteredMemory memory() {
        return context.memory();
    }

    public ChosenPort port() {
        return context.port();
    }

    public ChannelCounters counters() {
        return context.counters();
    }

    /// The channels that are open now, sorted by peer. Any thread.
    public List<ChannelDescription> channels() {
        return peers.channels();
    }

    /// The status of each peer that this worker has been in contact with, sorted by peer. Any thread.
    public List<PeerStatus> peers() {
        return peers.list();
    }

    public String workerName() {
        return context.workerName();
    }

    /// On the loop only.
    @Override
    public void withChannel(String peer, ChannelWaiter waiter) {
        if (stopping) {
            waiter.onNoChannel(stopped());
        } else if (!members.contains(peer)) {
            waiter.onNoChannel(noMember(peer));
        } else {
            link(peer).withChannel(waiter);
        }
    }

    /// On the loop only.
    @Override
    public void withdraw(String peer, ChannelWaiter waiter) {
        PeerLink link = links.get(peer);
        if (link != null) {
            link.withdraw(waiter);
        }
    }

    /// Sets up the channel to `peer`, unless it is open. The future fails with a [TransportException].
    public CompletableFuture<Void> connect(String peer) {
        var connected = new CompletableFuture<Void>();
        context.loop()
                .execute(() -> withChannel(peer, new ChannelWaiter() {
                    @Override
                    public void onChannel(RdmaChannel channel) {
                        connected.complete(null);
                    }

                    @Override
                    public void onNoChannel(TransportException cause) {
                        connected.completeExceptionally(cause);
                    }
                }));
        return connected;
    }

    /// The answering end of the exchange.
    public EndpointAcceptor acceptor() {
        return new Acceptor();
    }

    private PeerLink link(String peer) {
        PeerLink known = links.get(peer);
        if (known != null) {
            return known;
        }
        ChannelHandlers started = Objects.requireNonNull(handlers, "the adapter is not started");
        return links.computeIfAbsent(peer, name -> new PeerLink(name, shared, started));
    }

    private TransportException noMember(String peer) {
        return new TransportException(
                StatusCode.PERMISSION_DENIED,
                "'" + peer + "' is not a member of the cluster of " + context.workerName());
    }

    private TransportException stopped() {
        return new TransportException(
                StatusCode.UNAVAILABLE, "the transport of " + context.workerName() + " is stopped", null, 0, null);
    }

    /// Ends every channel, then the loop, then all resources of the device, children before parents, then the device.
    /// Waiting operations fail with `UNAVAILABLE`. Later calls have no effect.
    ///
    /// @throws IllegalStateException on a thread of a transport
    @Override
    public void close() {
        TransportThread.refuseToWait("close()", "start a thread for it");
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (handlers != null) {
            stopLoop();
        }
        context.memory().close();
        context.domain().close();
        context.completions().close();
        context.port().device().close();
        context.loop().end();
    }

    private void stopLoop() {
        context.memory().endWaits();
        runner.stop(() -> {
            stopping = true;
            List.copyOf(links.values()).forEach(PeerLink::close);
        });
        // Stop and destroy the channels' queue pairs before other users of the memory end.
        finishWork();
        context.memory().endUses();
        finishWork();
        context.background().close();
    }

    /// Runs the remaining work; the calling thread now owns the loop. Commands may give tasks to background threads,
    /// which may give further commands.
    private void finishWork() {
        do {
            context.loop().doWork();
            context.background().awaitIdle();
        } while (context.loop().hasCommands());
    }

    private final class Acceptor implements EndpointAcceptor {
        @Override
        public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
            var reply = new CompletableFuture<OfferAnswer>();
            try {
                offer.validate();
                if (offer.hostName().equals(context.workerName())) {
                    throw new IllegalArgumentException("it names this worker, " + offer.hostName() + ", as its sender");
                }
            } catch (IllegalArgumentException e) {
                reply.completeExceptionally(new TransportException(
                        StatusCode.INVALID_ARGUMENT, "the offer is not valid: " + e.getMessage(), e));
                return reply;
            }
            if (!members.contains(offer.hostName())) {
                reply.completeExceptionally(noMember(offer.hostName()));
                return reply;
            }
            context.loop().execute(() -> {
                if (stopping) {
                    reply.completeExceptionally(stopped());
                } else {
                    link(offer.hostName()).onOffer(offer, reply);
                }
            });
            return reply;
        }

        @Override
        public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
            var done = new CompletableFuture<Void>();
            context.loop().execute(() -> {
                try {
                    PeerLink link = links.get(peer);
                    if (link == null) {
                        throw new TransportException(
                                StatusCode.NOT_FOUND, "no channel to " + peer + " is being set up");
                    }
                    link.onReady(incarnation, connectionId);
                    done.complete(null);
                } catch (TransportException e) {
                    done.completeExceptionally(e);
                }
            });
            return done;
        }
    }
}
