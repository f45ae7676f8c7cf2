package io.tensorferry.grpc;

import io.grpc.BindableService;
import io.tensorferry.api.Accelerator;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.peer.Deadline;
import io.tensorferry.grpc.peer.PeerChannels;
import io.tensorferry.grpc.peer.PeerPing;
import io.tensorferry.grpc.setup.GrpcEndpointExchange;
import io.tensorferry.grpc.setup.VerbsServiceImpl;
import io.tensorferry.grpc.tensors.RecvTensorCaller;
import io.tensorferry.grpc.tensors.TensorServiceImpl;
import io.tensorferry.grpc.tensors.TensorTraffic;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.link.RdmaAdapterOptions;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.Registration;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.rendezvous.ResultAllocator;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvous;
import io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvousManager;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.EdgeStatistics;
import io.tensorferry.verbs.statistics.PeerStatus;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import io.tensorferry.verbs.statistics.StepStatistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Moves tensors by RDMA. gRPC sets up the channels and, if the fallback is enabled, carries tensors while no channel
/// can be established.
///
/// Threading: any thread.
final class VerbsTransport implements WorkerTransport {
    // The offer and the confirmation of one channel at a time, and calls of earlier attempts that are still open.
    private static final int MAX_CALLS = 64;
    // Over the fallback, each receive that waits for its tensor is an open call.
    private static final int MAX_FALLBACK_CALLS = 1 << 17;
    private static final int LOOK_MILLIS = 2;

    private final RdmaAdapter adapter;
    private final Accelerators accelerators;
    private final boolean hasFallback;
    private final RdmaRendezvousManager manager;
    private final EdgeManager edges;
    private final PartitionManager partitions;
    private final VerbsServiceImpl service;
    private final TensorTraffic fallbackTraffic = new TensorTraffic();
    private final TensorServiceImpl fallbackService;
    private final PeerPing ping;

    private VerbsTransport(
            RdmaAdapter adapter,
            Accelerators accelerators,
            WorkerContext worker,
            PeerChannels peers,
            Callers callers,
            Executor handlers,
            VerbsOptions options) {
        this.adapter = adapter;
        this.accelerators = accelerators;
        this.hasFallback = options.config().fallback() == Fallback.GRPC;
        long incarnation = adapter.incarnation();
        var fallback = new RecvTensorCaller(
                worker,
                incarnation,
                peers,
                receive -> ResultAllocator.of(receive, adapter.memory(), false),
                fallbackTraffic);
        this.manager = new RdmaRendezvousManager(
                adapter, worker, options.rendezvous(), accelerators, hasFallback ? fallback : null);
        var users = new UserCode(worker.callbacks());
        this.edges = new EdgeManager(adapter, worker.members(), users);
        this.partitions = new PartitionManager(adapter, worker.members(), users);
        adapter.start(new ChannelHandlers(manager.handler(), edges.handler(), partitions.handler()));
        this.service = new VerbsServiceImpl(callers, adapter.acceptor(), handlers);
        this.fallbackService = new TensorServiceImpl(
                worker,
                callers,
                incarnation,
                hasFallback ? manager::serve : VerbsTransport::refuse,
                handlers,
                fallbackTraffic);
        this.ping = new PeerPing(worker.name(), peers);
    }

    private static StreamedRequest refuse(
            String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent) {
        throw new TransportException(
                StatusCode.FAILED_PRECONDITION,
                "the producer of " + key + ", " + key.source().worker()
                        + ", does not allow the fallback to gRPC (RDMA_FALLBACK=grpc)");
    }

    /// Opens the device that `options` select.
    ///
    /// @throws IllegalArgumentException if the device does not support the configuration
    /// @throws io.tensorferry.api.TransportException if no device is usable; `RESOURCE_EXHAUSTED` if the device cannot
    ///     pin the first slab
    static VerbsTransport open(
            WorkerContext worker,
            long incarnation,
            PeerChannels peers,
            Callers callers,
            Executor handlers,
            VerbsOptions options) {
        ChosenPort port = options.openDevice();
        RdmaAdapter adapter;
        try {
            adapter = RdmaAdapter.open(
                    new RdmaAdapterOptions(
                            worker.name(),
                            worker.members(),
                            incarnation,
                            options.config(),
                            options.channel(),
                            options.memory(),
                            RdmaRendezvousManager.PIECES_AT_ONCE),
                    port,
                    new GrpcEndpointExchange(peers));
        } catch (RuntimeException e) {
            port.device().close();
            throw e;
        }
        try {
            adapter.memory().prepare();
            Accelerators accelerators = Accelerators.open(
                    options.accelerators(),
                    adapter.memory(),
                    options.acceleratorOptions(),
                    adapter.loop(),
                    adapter.background(),
                    AcceleratorUnit::ownThread);
            return new VerbsTransport(adapter, accelerators, worker, peers, callers, handlers, options);
        } catch (RuntimeException e) {
            adapter.close();
            throw e;
        }
    }

    @Override
    public RdmaRendezvous rendezvous(long stepId) {
        return manager.rendezvous(stepId);
    }

    @Override
    public StaticSender openSender(StaticEdge edge) {
        return edges.openSender(edge);
    }

    @Override
    public StaticReceiver openReceiver(StaticEdge edge, @Nullable MemorySegment memory) {
        return memory == null ? edges.openReceiver(edge) : edges.openReceiver(edge, memory);
    }

    @Override
    public DynamicSender openSender(DynamicEdge edge) {
        return edges.openSender(edge);
    }

    @Override
    public DynamicReceiver openReceiver(DynamicEdge edge) {
        return edges.openReceiver(edge);
    }

    @Override
    public PartitionedTensor openPartitioned(PartitionedTensorSpec spec) {
        return partitions.open(spec);
    }

    @Override
    public int closeStep(long stepId) {
        return manager.closeStep(stepId);
    }

    @Override
    public CompletableFuture<Void> finishStep(long stepId, Duration timeout) {
        return manager.finishStep(stepId, timeout);
    }

    @Override
    public void closeSteps() {
        fallbackService.refuseAll();
        manager.close();
        edges.close();
        partitions.close();
    }

    /// Once the steps are closed, no transfer begins. The remaining work is responses whose tensors were taken, and
    /// requests of this worker whose memory a peer may still write.
    @Override
    public void awaitTransfers(Deadline patience) {
        try {
            while (isBusy() && !patience.isOver()) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isBusy() {
        RendezvousStatistics now = manager.statistics();
        return now.pendingRequests() > 0
                || now.pendingResponses() > 0
                || edges.isBusy()
                || partitions.isBusy()
                || accelerators.isBusy();
    }

    @Override
    public int maxCallsPerConnection() {
        return hasFallback ? MAX_FALLBACK_CALLS : MAX_CALLS;
    }

    @Override
    public TensorAllocator allocator() {
        return adapter.memory().allocator();
    }

    @Override
    public TensorAllocator allocator(Accelerator device) {
        return unit(device).allocator();
    }

    private AcceleratorUnit unit(Accelerator device) {
        AcceleratorUnit unit = accelerators.of(device);
        if (unit == null) {
            throw new IllegalArgumentException(device + " is not one of the server's accelerators");
        }
        return unit;
    }

    @Override
    public MemoryRegistration register(Accelerator device, long address, long bytes) {
        Registration registration = unit(device).register(address, bytes);
        return registration::close;
    }

    @Override
    public MemoryRegistration register(MemorySegment memory) {
        Registration registration = adapter.memory().register(memory);
        return registration::close;
    }

    @Override
    public List<BindableService> services() {
        return List.of(service, fallbackService);
    }

    @Override
    public CompletableFuture<Void> connect(String peer) {
        CompletableFuture<Void> connected = adapter.connect(peer);
        // With the fallback, a peer that answers over gRPC is usable.
        return hasFallback ? connected.exceptionallyCompose(_ -> ping.ping(peer)) : connected;
    }

    @Override
    public String deviceName() {
        return adapter.port().device().name();
    }

    @Override
    public TransportStatistics statistics() {
        RendezvousStatistics verbs = manager.statistics();
        StepStatistics steps = manager.stepStatistics();
        EdgeStatistics straight = edges.statistics();
        return new TransportStatistics(
                steps.open(),
                steps.own(),
                steps.oldestOwn(),
                verbs.pendingRequests(),
                steps.droppedSends(),
                verbs.tensorsReceived() + fallbackTraffic.tensorsReceived() + straight.tensorsReceived(),
                verbs.bytesReceived() + fallbackTraffic.bytesReceived() + straight.bytesReceived(),
                verbs.tensorsSent() + fallbackTraffic.tensorsSent() + straight.tensorsSent(),
                verbs.bytesSent() + fallbackTraffic.bytesSent() + straight.bytesSent(),
                0,
                0,
                0,
                straight,
                partitions.statistics(),
                accelerators.statistics(),
                verbs);
    }

    @Override
    public List<ChannelDescription> channels() {
        return adapter.channels();
    }

    @Override
    public List<PeerStatus> peers() {
        return adapter.peers();
    }

    @Override
    public void close() {
        adapter.close();
    }
}
