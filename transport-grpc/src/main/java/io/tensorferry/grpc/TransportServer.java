package io.tensorferry.grpc;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
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
import io.tensorferry.api.thread.TransportFuture;
import io.tensorferry.api.thread.TransportThread;
import io.tensorferry.grpc.admission.Refusals;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one worker of a cluster: provides a rendezvous for each step and serves the other workers.
///
/// ```java
/// try (var server = TransportServer.builder().cluster(cluster).job("worker").task(0).start()) {
///     server.awaitPeers(Duration.ofSeconds(30));
///     Rendezvous rendezvous = server.rendezvous(step);
///     ...
///     server.finishStep(step, Duration.ofSeconds(60));
/// }
/// ```
///
/// Once the server is stopping, every call returns at once. Methods that open a resource fail with `UNAVAILABLE`. Each
/// existing [Rendezvous] is closed, and its receives end with `ABORTED`. Edges and partitioned tensors have ended.
/// Methods that only query or close a resource still work.
///
/// Threading: any thread.
public final class TransportServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransportServer.class);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    private final ServerConfig config;
    private final ServerParts parts;
    private final AtomicBoolean stopping = new AtomicBoolean();

    private TransportServer(ServerConfig config, ServerParts parts) {
        this.config = config;
        this.parts = parts;
    }

    /// Returns a builder with the default options.
    public static TransportServerBuilder builder() {
        return new TransportServerBuilder();
    }

    static TransportServer start(ServerOptions options) {
        var server = new TransportServer(options.config(), ServerParts.start(options));
        LOG.info(
                "{} listens on {} port {}: protocol {}, device {}, {}",
                server.workerName(),
                options.bindAddress().getHostAddress(),
                options.port(),
                options.config().protocol(),
                server.transportDevice(),
                options.security() == null ? "plaintext" : "mutual TLS");
        return server;
    }

    /// The name of this worker, as `/job:worker/replica:0/task:0`.
    public String workerName() {
        return config.workerName();
    }

    /// The name of this worker's CPU device `cpuIndex`, for use in keys.
    public DeviceName deviceName(int cpuIndex) {
        return new DeviceName(config.job(), 0, config.task(), Device.HOST.type(), cpuIndex);
    }

    /// The name of a device on this worker, for use in keys, as `/job:worker/replica:0/task:0/device:GPU:1`.
    public DeviceName deviceName(Device device) {
        return new DeviceName(config.job(), 0, config.task(), device.type(), device.index());
    }

    /// The description of the cluster, including this worker.
    public ClusterSpec cluster() {
        return config.cluster();
    }

    /// The protocol, `grpc+verbs` or `grpc`.
    public String protocol() {
        return config.protocol();
    }

    /// The name of the RDMA device, as `soft0`; `none (grpc)` over gRPC.
    public String transportDevice() {
        return parts.transport().deviceName();
    }

    /// Returns the rendezvous of a step.
    ///
    /// It is created when this worker or a peer first names the step, and stays the same object until [#finishStep] or
    /// [#closeStep]. Every step needs one of these calls: a step that is never closed stays in memory.
    ///
    /// @throws TransportException `UNAVAILABLE` once the server is stopping
    public Rendezvous rendezvous(long stepId) {
        requireRunning();
        return parts.transport().rendezvous(stepId);
    }

    private void requireRunning() {
        if (stopping.get()) {
            throw new TransportException(StatusCode.UNAVAILABLE, workerName() + " is stopping");
        }
    }

    /// Opens the producer's end of a static edge on this worker. The consumer may open its end earlier or later. The
    /// caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the producer is on another worker, the consumer is not in the cluster, or
    ///     key and shape together are too long for a control message (about 500 bytes)
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public StaticSender openSender(StaticEdge edge) {
        requireRunning();
        return parts.transport().openSender(edge);
    }

    /// Opens the consumer's end of a static edge on this worker, in memory of the transport. The caller closes it;
    /// [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the consumer is on another worker, the producer is not in the cluster, or
    ///     key and shape together are too long for a control message (about 500 bytes)
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `RESOURCE_EXHAUSTED` if no memory is left;
    ///     `UNIMPLEMENTED` over gRPC
    public StaticReceiver openReceiver(StaticEdge edge) {
        requireRunning();
        return parts.transport().openReceiver(edge, null);
    }

    /// Opens the consumer's end of a static edge on this worker, in memory of the caller, such as memory laid out by a
    /// placement plan.
    ///
    /// @param memory registered with [#register(MemorySegment)], `edge.memoryBytes()` long, aligned to
    ///     [StaticEdge#PLACE_ALIGNMENT]; it stays registered until [StaticReceiver#ended()]
    /// @throws IllegalArgumentException as for [#openReceiver(StaticEdge)], and if `memory` does not meet its
    ///     requirements
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public StaticReceiver openReceiver(StaticEdge edge, MemorySegment memory) {
        requireRunning();
        return parts.transport().openReceiver(edge, memory);
    }

    /// Opens the producer's end of a dynamic edge on this worker. The consumer may open its end earlier or later. The
    /// caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the producer is on another worker, the consumer is not in the cluster, or
    ///     the key is too long for a control message (about 500 bytes)
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public DynamicSender openSender(DynamicEdge edge) {
        requireRunning();
        return parts.transport().openSender(edge);
    }

    /// Opens the consumer's end of a dynamic edge on this worker; its tensors are in memory of the transport. The
    /// caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the consumer is on another worker, the producer is not in the cluster, or
    ///     the key is too long for a control message (about 500 bytes)
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public DynamicReceiver openReceiver(DynamicEdge edge) {
        requireRunning();
        return parts.transport().openReceiver(edge);
    }

    /// Opens this worker's end of a partitioned tensor, with memory of the transport for the rows that this worker
    /// owns. The other workers may open their ends earlier or later. The caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if a worker that owns rows is not in the cluster
    /// @throws IllegalStateException if this worker already has a partitioned tensor of this name open
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `RESOURCE_EXHAUSTED` if no memory is left
    ///     or it cannot be pinned; `UNIMPLEMENTED` over gRPC
    public PartitionedTensor openPartitioned(PartitionedTensorSpec spec) {
        requireRunning();
        return parts.transport().openPartitioned(spec);
    }

    /// Ends a step on this worker once all its work is done, and waits for that.
    ///
    /// From now on this worker sends no tensor in the step. The step is closed when every tensor that was sent is with
    /// its receiver, and all receives of this worker have ended. Receives that wait for a tensor that this worker has
    /// not sent end with `ABORTED`. If the step is named again after that, it starts anew.
    ///
    /// Every worker that names a step, producer or consumer, should end it this way. If a consumer is gone, or never
    /// requests a tensor that was sent to it, the call lasts until `timeout`; the remaining sends are then dropped, as
    /// by [#closeStep]. A receive of this worker from a producer that is gone ends with `UNAVAILABLE`.
    ///
    /// The step is closed in every case except an interrupt, after which it still finishes in the background.
    ///
    /// @throws TransportException `DEADLINE_EXCEEDED`, naming the unfinished work, after `timeout`; the status of
    ///     [Rendezvous#startAbort] if the step was aborted on this worker, before or during the call; `ABORTED` if it
    ///     was closed meanwhile, with the server or by [#closeStep]; `UNAVAILABLE` once the server is stopping
    /// @throws IllegalStateException on a thread of the transport, such as the thread of a callback on the loop
    /// @throws InterruptedException if the calling thread was interrupted
    public void finishStep(long stepId, Duration timeout) throws InterruptedException {
        requireRunning();
        TransportThread.refuseToWait("finishStep", "call finishStepAsync");
        try {
            parts.transport().finishStep(stepId, timeout).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TransportException cause
                    ? cause
                    : new TransportException(StatusCode.INTERNAL, "step " + stepId + " could not be finished", e);
        }
    }

    /// Ends a step on this worker once all its work is done, without waiting.
    ///
    /// @return a future that completes when the step is closed, or fails as [#finishStep]. Dependent stages run on the
    ///     callback executor. Cancelling the future does not affect the step
    /// @throws TransportException `UNAVAILABLE` once the server is stopping
    public CompletableFuture<Void> finishStepAsync(long stepId, Duration timeout) {
        requireRunning();
        CompletableFuture<Void> finished = new TransportFuture<>();
        var _ = parts.transport()
                .finishStep(stepId, timeout)
                .whenComplete((_, failure) -> parts.threads().callbacks().execute(() -> {
                    if (failure == null) {
                        finished.complete(null);
                    } else {
                        finished.completeExceptionally(failure);
                    }
                }));
        return finished;
    }

    /// Ends a step on this worker at once.
    ///
    /// Pending receives end with `ABORTED`, including receives of other workers that wait for a tensor of this worker
    /// or request one later. Unclaimed sends are dropped and counted, and their memory is released. If the tensors of
    /// the step are still wanted, call [#finishStep] instead.
    ///
    /// @return the number of sends that were dropped
    public int closeStep(long stepId) {
        return parts.transport().closeStep(stepId);
    }

    /// Returns the allocator of tensors that travel without an extra copy. After the server has stopped, an allocation
    /// of transport memory fails with `FAILED_PRECONDITION`.
    public TensorAllocator allocator() {
        return parts.transport().allocator();
    }

    /// Returns the allocator of tensors in the pooled memory of an accelerator. An allocation may wait for the driver.
    ///
    /// @throws IllegalArgumentException if the server was not given the accelerator
    public TensorAllocator allocator(Accelerator device) {
        return parts.transport().allocator(device);
    }

    /// Registers memory of the caller with the RDMA device, so that tensors on it travel without an extra copy. Over
    /// gRPC this does nothing.
    ///
    /// @param memory off-heap, alive until the registration is closed
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; otherwise the failure that the device
    ///     reports
    public MemoryRegistration register(MemorySegment memory) {
        requireRunning();
        return parts.transport().register(memory);
    }

    /// Registers memory of the caller on an accelerator with the RDMA device, so that tensors on it are sent and
    /// received without a copy.
    ///
    /// The memory of [#allocator(Accelerator)] is already registered if the device supports it, and a receive into it
    /// saves one round trip.
    ///
    /// @param address the device address of the first byte
    /// @param bytes the length of the range, contained in one allocation, which stays alive until the registration is
    ///     closed
    /// @throws IllegalArgumentException if the server was not given the accelerator, or the range is not contained in
    ///     one allocation
    /// @throws TransportException `FAILED_PRECONDITION`, with the reasons, if the RDMA device cannot access the
    ///     accelerator's memory; `UNAVAILABLE` once the server is stopping; otherwise the failure that the accelerator
    ///     or the RDMA device reports
    public MemoryRegistration register(Accelerator device, long address, long bytes) {
        requireRunning();
        return parts.transport().register(device, address, bytes);
    }

    /// Returns a snapshot of this server's counters.
    public TransportStatistics statistics() {
        Refusals refusals = parts.refusals();
        return parts.transport()
                .statistics()
                .withRefused(
                        refusals.calls(),
                        refusals.connections(),
                        parts.threads().callbacks().refused());
    }

    /// Returns the open channels, sorted by peer: devices, addresses and the parameters that both ends agreed on.
    ///
    /// A channel is opened by the first receive that needs it, or as [DialPolicy] specifies, and closed when its peer
    /// goes away. Empty over gRPC.
    public List<ChannelDescription> channels() {
        return parts.transport().channels();
    }

    /// Returns the state of each peer that this worker has communicated with, sorted by peer.
    ///
    /// The state is whether the channel is open, is being re-established, could not be established, or is replaced
    /// by the fallback ([io.tensorferry.verbs.statistics.PeerStatus.State#FALLBACK]), and why. For devices with several
    /// carriers, such as the software device, it names the carrier of requests. Empty over gRPC.
    public List<PeerStatus> peers() {
        return parts.transport().peers();
    }

    /// Connects to every other worker of the cluster and waits until all have answered.
    ///
    /// @throws TransportException `DEADLINE_EXCEEDED` after `timeout`, naming the missing workers; the refusal, if a
    ///     worker refuses this one permanently; `UNAVAILABLE` once the server is stopping
    /// @throws IllegalStateException on a thread of the transport, such as the thread of a callback on the loop
    /// @throws InterruptedException if the calling thread was interrupted
    public void awaitPeers(Duration timeout) throws InterruptedException {
        requireRunning();
        TransportThread.refuseToWait("awaitPeers", "wait before the first receive");
        parts.dialer().awaitAll(timeout);
    }

    /// Stops the server.
    ///
    /// The server refuses new work. It ends with `ABORTED` every receive of this worker and every receive of a peer
    /// that still waits for its tensor. Responses in flight to peers and running callbacks may end within `grace`; then
    /// the server ends everything and all threads. Returns within `grace` and 5 s, plus the time that the device takes
    /// to close. The second and later calls do nothing.
    ///
    /// A callback may call this method, which then does not wait for that callback. The exception is a callback on a
    /// thread of the transport: on the loop, or on an executor that runs it in the calling thread.
    ///
    /// @throws IllegalStateException on a thread of the transport, unless the server is already stopping; the server is
    ///     then unchanged
    public void stop(Duration grace) {
        if (!stopping.get()) {
            TransportThread.refuseToWait("stopping " + workerName(), "start a thread for it");
        }
        if (stopping.compareAndSet(false, true)) {
            parts.close(grace);
            LOG.info("{} has stopped", workerName());
        }
    }

    /// Stops the server with 5 s of grace, as [#stop].
    @Override
    public void close() {
        stop(DEFAULT_GRACE);
    }
}
