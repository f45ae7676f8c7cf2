package io.tensorferry.grpc;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.DynamicEdge;
import io.tensorferry.api.DynamicReceiver;
import io.tensorferry.api.DynamicSender;
import io.tensorferry.api.PartitionedTensor;
import io.tensorferry.api.PartitionedTensorSpec;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.TransportFuture;
import io.tensorferry.api.TransportThread;
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

/// One worker of a cluster: gives a rendezvous for each step, and serves the other workers.
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
/// Once the server is stopping every call ends at once. What opens something is refused with `UNAVAILABLE`; a
/// [Rendezvous] that was had before is closed, and its receives tell their callbacks `ABORTED`; edges and partitioned
/// tensors have ended; what only tells or closes something does so.
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

    /// This worker's name, as `/job:worker/replica:0/task:0`.
    public String workerName() {
        return config.workerName();
    }

    /// The name of this worker's CPU device `cpuIndex`, for keys.
    public DeviceName deviceName(int cpuIndex) {
        return new DeviceName(config.job(), 0, config.task(), Device.HOST.type(), cpuIndex);
    }

    /// The name of a device on this worker, for keys: `/job:worker/replica:0/task:0/device:GPU:1`.
    public DeviceName deviceName(Device device) {
        return new DeviceName(config.job(), 0, config.task(), device.type(), device.index());
    }

    public ClusterSpec cluster() {
        return config.cluster();
    }

    public String protocol() {
        return config.protocol();
    }

    /// The device that moves the tensors, as `soft0`; `none (grpc)` where they travel over gRPC.
    public String transportDevice() {
        return parts.transport().deviceName();
    }

    /// The rendezvous of a step: made when this worker or a peer first names the step, the same object until
    /// [#finishStep] or [#closeStep], one of which every step needs: a step that is not closed stays in memory.
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

    /// Opens the producer's end of an edge, which is to be on this worker. The consumer opens the other end, earlier or
    /// later. The caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the producer is not this worker, or the consumer no member of the cluster
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public StaticSender openSender(StaticEdge edge) {
        requireRunning();
        return parts.transport().openSender(edge);
    }

    /// Opens the consumer's end of an edge, which is to be on this worker, in memory of the transport. The caller
    /// closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the consumer is not this worker, or the producer no member of the cluster
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `UNAVAILABLE` once the server is stopping, `RESOURCE_EXHAUSTED` if there is no
    ///     memory; `UNIMPLEMENTED` over gRPC
    public StaticReceiver openReceiver(StaticEdge edge) {
        requireRunning();
        return parts.transport().openReceiver(edge, null);
    }

    /// The same in memory of the caller, as where a placement plan lays it.
    ///
    /// @param memory [#register]ed, `edge.memoryBytes()` long, at a multiple of [StaticEdge#PLACE_ALIGNMENT]; it stays
    ///     registered until [StaticReceiver#ended()]
    /// @throws IllegalArgumentException if the memory is none of that, too
    public StaticReceiver openReceiver(StaticEdge edge, MemorySegment memory) {
        requireRunning();
        return parts.transport().openReceiver(edge, memory);
    }

    /// Opens the producer's end of a dynamic edge, which is to be on this worker. The consumer opens the other end,
    /// earlier or later. The caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the producer is not this worker, or the consumer no member of the cluster
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public DynamicSender openSender(DynamicEdge edge) {
        requireRunning();
        return parts.transport().openSender(edge);
    }

    /// Opens the consumer's end of a dynamic edge, which is to be on this worker; its tensors are in memory of the
    /// transport. The caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if the consumer is not this worker, or the producer no member of the cluster
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; `UNIMPLEMENTED` over gRPC
    public DynamicReceiver openReceiver(DynamicEdge edge) {
        requireRunning();
        return parts.transport().openReceiver(edge);
    }

    /// Opens this worker's end of a tensor whose rows lie on several workers, with memory of the transport for
    /// those that it has. The others open theirs earlier or later. The caller closes it; [#stop] ends it too.
    ///
    /// @throws IllegalArgumentException if a worker that has rows is no member of the cluster
    /// @throws IllegalStateException if this worker has a partitioned tensor of this name open already
    /// @throws TransportException `UNAVAILABLE` once the server is stopping, `RESOURCE_EXHAUSTED` if there is no memory
    ///     or it cannot be pinned; `UNIMPLEMENTED` over gRPC
    public PartitionedTensor openPartitioned(PartitionedTensorSpec spec) {
        requireRunning();
        return parts.transport().openPartitioned(spec);
    }

    /// Ends a step on this worker as soon as nothing is left to be done in it, and waits for that: from now on nothing
    /// more is sent in it by this worker, and it is closed when all that was sent is with whoever asked for it, and all
    /// receives of this worker in it have ended. Receives that wait for a tensor of this worker which was not sent end
    /// with `ABORTED`, because it will not come. After that the step starts anew if it is named again.
    ///
    /// This is how every step is to end, on each worker that names it, producers and consumers. A consumer that is
    /// gone,
    /// or never asks for what was sent to it, makes this last until `timeout`: then what is left is dropped, as
    /// [#closeStep] does. A receive of this worker from a producer that is gone ends by itself, with `UNAVAILABLE`.
    ///
    /// @throws TransportException `DEADLINE_EXCEEDED`, naming what was left, if `timeout` has passed; the status of
    ///     [Rendezvous#startAbort] if the step was aborted, here, before or meanwhile; `ABORTED` if it was closed
    ///     meanwhile, with the server or by [#closeStep]; `UNAVAILABLE` once the server is stopping. The step is closed
    ///     in any case
    /// @throws IllegalStateException on a thread of the transport, such as that of a callback on the loop
    /// @throws InterruptedException if the calling thread was interrupted; the step goes on to its end
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

    /// The same without waiting.
    ///
    /// @return completes when the step is closed, or fails with what [#finishStep] throws. Dependent stages run on the
    ///     callback executor. Cancelling it changes nothing for the step
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

    /// Ends a step on this worker now: what waits ends with `ABORTED`, also receives of other workers that wait for a
    /// tensor of this one, or ask for one later; sends that nobody asked for are dropped and counted, their memory goes
    /// back. [#finishStep] is the end of a step whose tensors are wanted.
    ///
    /// @return the sends that were dropped
    public int closeStep(long stepId) {
        return parts.transport().closeStep(stepId);
    }

    /// Makes tensors that travel without an extra copy. Once the server has stopped it throws `FAILED_PRECONDITION`
    /// where the memory was the transport's.
    public TensorAllocator allocator() {
        return parts.transport().allocator();
    }

    /// Makes tensors in the pooled memory of an accelerator. It may wait for the driver.
    ///
    /// @throws IllegalArgumentException if the server was not given it
    public TensorAllocator allocator(Accelerator device) {
        return parts.transport().allocator(device);
    }

    /// Lets the device read and write memory of the caller, so that tensors on it travel without an extra copy.
    /// Over gRPC this does nothing.
    ///
    /// @param memory off-heap, and alive until the registration is closed
    /// @throws TransportException `UNAVAILABLE` once the server is stopping; what the device says
    public MemoryRegistration register(MemorySegment memory) {
        requireRunning();
        return parts.transport().register(memory);
    }

    /// Lets the RDMA device read and write an accelerator's memory that the caller has: tensors there are sent, and
    /// received, without a copy. That of [#allocator(Accelerator)] is registered already, where that can be; a receive
    /// into it costs one round trip less.
    ///
    /// @param address of the first byte, as the accelerator counts it
    /// @param bytes of one allocation, which is kept until the registration is closed
    /// @throws IllegalArgumentException if the accelerator is none of the server's, or the bytes are not all of one
    ///     allocation
    /// @throws TransportException `FAILED_PRECONDITION` with the reasons if the RDMA device does not reach its memory;
    ///     `UNAVAILABLE` once the server is stopping; otherwise what the accelerator or the RDMA device says
    public MemoryRegistration register(Accelerator device, long address, long bytes) {
        requireRunning();
        return parts.transport().register(device, address, bytes);
    }

    public TransportStatistics statistics() {
        Refusals refusals = parts.refusals();
        return parts.transport()
                .statistics()
                .withRefused(
                        refusals.calls(),
                        refusals.connections(),
                        parts.threads().callbacks().refused());
    }

    /// The channels to other workers that are open now, by peer: devices, addresses and what both ends agreed on. A
    /// channel comes with the first receive that needs it, or as [DialPolicy] says, and goes when its peer does. Over
    /// gRPC there is none.
    public List<ChannelDescription> channels() {
        return parts.transport().channels();
    }

    /// How this worker stands with each other worker that it has had to do with, by peer: whether the channel is open,
    /// is being set up again, could not be had, or is done without
    /// ([io.tensorferry.verbs.statistics.PeerStatus.State#FALLBACK]), and why; and where the device knows several ways
    /// to
    /// its peers, as the software device does, which one requests take. Over gRPC there is nothing to tell.
    public List<PeerStatus> peers() {
        return parts.transport().peers();
    }

    /// Waits until every other worker of the cluster has answered, dialling each that has not been.
    ///
    /// @throws TransportException `DEADLINE_EXCEEDED` naming the workers that are missing; the cause, if a worker
    ///     refuses this one for good; `UNAVAILABLE` once the server is stopping
    /// @throws IllegalStateException on a thread of the transport, such as that of a callback on the loop
    /// @throws InterruptedException if the calling thread was interrupted
    public void awaitPeers(Duration timeout) throws InterruptedException {
        requireRunning();
        TransportThread.refuseToWait("awaitPeers", "wait before the first receive");
        parts.dialer().awaitAll(timeout);
    }

    /// Stops the server: refuses what is new, ends with `ABORTED` every receive of this worker and every one of a
    /// peer that still waits for its tensor, lets contents that are under way to peers and callbacks end within
    /// `grace`, then ends everything and all threads. Returns within `grace` and 5 s, and what the device
    /// takes to close. The second and later calls do nothing. A callback may call it, which is not waited for then,
    /// unless
    /// it runs on a thread of the transport: on the loop, or with an executor that runs it on the thread that calls it.
    ///
    /// @throws IllegalStateException on a thread of the transport, unless the server is stopping; nothing has happened
    public void stop(Duration grace) {
        if (!stopping.get()) {
            TransportThread.refuseToWait("the end of " + workerName(), "start a thread for it");
        }
        if (stopping.compareAndSet(false, true)) {
            parts.close(grace);
            LOG.info("{} has stopped", workerName());
        }
    }

    /// [#stop] with 5 s of grace.
    @Override
    public void close() {
        stop(DEFAULT_GRACE);
    }
}
