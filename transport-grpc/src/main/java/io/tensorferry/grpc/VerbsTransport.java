package io.tensorferry.grpc;

import io.grpc.BindableService;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.verbs.channel.ChannelDescription;
import io.tensorferry.verbs.channel.PeerStatus;
import io.tensorferry.verbs.channel.RdmaAdapter;
import io.tensorferry.verbs.channel.RdmaAdapterOptions;
import io.tensorferry.verbs.device.ChosenPort;
import io.tensorferry.verbs.memory.Registration;
import io.tensorferry.verbs.rendezvous.RdmaRendezvous;
import io.tensorferry.verbs.rendezvous.RdmaRendezvousManager;
import io.tensorferry.verbs.rendezvous.RendezvousStatistics;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Tensors by RDMA; gRPC sets up the channels.
///
/// Threading: any thread.
final class VerbsTransport implements WorkerTransport {
    // Offer and ready of one channel at a time, and what is still open of earlier attempts.
    private static final int MAX_CALLS = 64;
    private static final int LOOK_MILLIS = 2;

    private final RdmaAdapter adapter;
    private final RdmaRendezvousManager manager;
    private final VerbsServiceImpl service;

    private VerbsTransport(RdmaAdapter adapter, WorkerContext worker, Callers callers, VerbsOptions options) {
        this.adapter = adapter;
        this.manager = new RdmaRendezvousManager(adapter, worker, options.rendezvous());
        this.service = new VerbsServiceImpl(callers, adapter.acceptor());
    }

    /// Opens the device that `options` ask for.
    ///
    /// @throws IllegalArgumentException if the device cannot do what the configuration asks for
    /// @throws io.tensorferry.api.TransportException if there is no usable device, or `RESOURCE_EXHAUSTED` if it cannot
    ///     pin the first slab of memory
    static VerbsTransport open(
            WorkerContext worker, long incarnation, PeerChannels peers, Callers callers, VerbsOptions options) {
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
                            options.memory()),
                    port,
                    new GrpcEndpointExchange(peers));
        } catch (RuntimeException e) {
            port.device().close();
            throw e;
        }
        try {
            adapter.memory().prepare();
            return new VerbsTransport(adapter, worker, callers, options);
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
    public int closeStep(long stepId) {
        return manager.closeStep(stepId);
    }

    @Override
    public void closeSteps() {
        manager.close();
    }

    /// With the steps closed nothing new begins: what is left are contents whose tensors were taken, and requests of
    /// this worker whose memory a peer may still write.
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
        return now.pendingRequests() > 0 || now.pendingResponses() > 0;
    }

    @Override
    public int maxCallsPerConnection() {
        return MAX_CALLS;
    }

    @Override
    public TensorAllocator allocator() {
        return adapter.memory().allocator();
    }

    @Override
    public MemoryRegistration register(MemorySegment memory) {
        Registration registration = adapter.memory().register(memory);
        return registration::close;
    }

    @Override
    public List<BindableService> services() {
        return List.of(service);
    }

    @Override
    public CompletableFuture<Void> connect(String peer) {
        return adapter.connect(peer);
    }

    @Override
    public String deviceName() {
        return adapter.port().device().name();
    }

    @Override
    public TransportStatistics statistics() {
        RendezvousStatistics verbs = manager.statistics();
        return new TransportStatistics(
                verbs.openSteps(),
                verbs.pendingRequests(),
                verbs.droppedSends(),
                verbs.tensorsReceived(),
                verbs.bytesReceived(),
                verbs.tensorsSent(),
                verbs.bytesSent(),
                0,
                0,
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
