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
import io.tensorferry.grpc.tensors.GrpcRendezvous;
import io.tensorferry.grpc.tensors.RecvTensorCaller;
import io.tensorferry.grpc.tensors.TensorServiceImpl;
import io.tensorferry.grpc.tensors.TensorTraffic;
import io.tensorferry.verbs.rendezvous.ResultAllocator;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import io.tensorferry.verbs.rendezvous.table.TableRequest;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import io.tensorferry.verbs.statistics.StepStatistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Moves tensors over gRPC: no RDMA device, no registered memory, one call per tensor.
///
/// Threading: any thread.
final class GrpcTransport implements WorkerTransport {
    // Each receive that waits for its tensor is an open call.
    private static final int MAX_CALLS = 1 << 17;

    private final TensorTraffic traffic = new TensorTraffic();
    private final TensorAllocator allocator = TensorAllocator.unregistered();
    private final StepTable<GrpcRendezvous> steps;
    private final TensorServiceImpl service;
    private final PeerPing ping;

    /// @param handlers runs the copies of tensors; its tasks never block
    GrpcTransport(WorkerContext worker, long incarnation, PeerChannels peers, Callers callers, Executor handlers) {
        var caller = new RecvTensorCaller(
                worker, incarnation, peers, options -> ResultAllocator.of(options, allocator), traffic);
        this.steps = new StepTable<>(stepId -> new GrpcRendezvous(stepId, worker, caller), worker.limits());
        this.service = new TensorServiceImpl(worker, callers, incarnation, this::open, handlers, traffic);
        this.ping = new PeerPing(worker.name(), peers);
    }

    @Override
    public GrpcRendezvous rendezvous(long stepId) {
        return steps.open(stepId);
    }

    private StreamedRequest open(
            String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent) {
        return TableRequest.open(steps, peer, stepId, key);
    }

    @Override
    public StaticSender openSender(StaticEdge edge) {
        throw noEdges(edge);
    }

    @Override
    public StaticReceiver openReceiver(StaticEdge edge, @Nullable MemorySegment memory) {
        throw noEdges(edge);
    }

    @Override
    public DynamicSender openSender(DynamicEdge edge) {
        throw noEdges(edge);
    }

    @Override
    public DynamicReceiver openReceiver(DynamicEdge edge) {
        throw noEdges(edge);
    }

    private static TransportException noEdges(Record edge) {
        return new TransportException(
                StatusCode.UNIMPLEMENTED,
                edge + " needs the protocol grpc+verbs; over grpc no worker can access another worker's memory");
    }

    @Override
    public PartitionedTensor openPartitioned(PartitionedTensorSpec spec) {
        throw new TransportException(
                StatusCode.UNIMPLEMENTED,
                "the partitioned tensor '" + spec.name()
                        + "' needs the protocol grpc+verbs; over grpc no worker can read another worker's memory");
    }

    @Override
    public int closeStep(long stepId) {
        return steps.close(stepId);
    }

    @Override
    public CompletableFuture<Void> finishStep(long stepId, Duration timeout) {
        return steps.finish(stepId, timeout);
    }

    @Override
    public void closeSteps() {
        service.refuseAll();
        steps.closeAll();
    }

    @Override
    public void awaitTransfers(Deadline patience) {
        // A transfer to a peer is a call of that peer, and the server awaits its calls.
    }

    @Override
    public int maxCallsPerConnection() {
        return MAX_CALLS;
    }

    @Override
    public TensorAllocator allocator() {
        return allocator;
    }

    @Override
    public TensorAllocator allocator(Accelerator device) {
        throw noAccelerators(device);
    }

    @Override
    public MemoryRegistration register(Accelerator device, long address, long bytes) {
        throw noAccelerators(device);
    }

    private static IllegalArgumentException noAccelerators(Accelerator device) {
        return new IllegalArgumentException(device + " is not an accelerator of the server: over grpc it has none");
    }

    @Override
    public MemoryRegistration register(MemorySegment memory) {
        return () -> {};
    }

    @Override
    public List<BindableService> services() {
        return List.of(service);
    }

    @Override
    public CompletableFuture<Void> connect(String peer) {
        return ping.ping(peer);
    }

    @Override
    public String deviceName() {
        return "none (grpc)";
    }

    @Override
    public TransportStatistics statistics() {
        StepStatistics step = steps.statistics();
        return new TransportStatistics(
                step.open(),
                step.own(),
                step.oldestOwn(),
                traffic.pendingReceives(),
                step.droppedSends(),
                traffic.tensorsReceived(),
                traffic.bytesReceived(),
                traffic.tensorsSent(),
                traffic.bytesSent(),
                0,
                0,
                0,
                null,
                null,
                List.of(),
                null);
    }

    @Override
    public List<ChannelDescription> channels() {
        return List.of();
    }

    @Override
    public List<PeerStatus> peers() {
        return List.of();
    }

    @Override
    public void close() {
        // The calls end with the channels and the server, which this class does not own.
    }
}
