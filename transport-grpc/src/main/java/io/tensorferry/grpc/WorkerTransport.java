package io.tensorferry.grpc;

import io.grpc.BindableService;
import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DynamicEdge;
import io.tensorferry.api.DynamicReceiver;
import io.tensorferry.api.DynamicSender;
import io.tensorferry.api.PartitionedTensor;
import io.tensorferry.api.PartitionedTensorSpec;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.peer.Deadline;
import io.tensorferry.verbs.rendezvous.table.StepRendezvous;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What moves the tensors of one server: by RDMA, or over gRPC. The server knows no more of a protocol than this.
///
/// Threading: any thread.
interface WorkerTransport extends AutoCloseable {
    StepRendezvous rendezvous(long stepId);

    /// The producer's end of an edge.
    StaticSender openSender(StaticEdge edge);

    /// The consumer's end of an edge.
    ///
    /// @param memory where its tensors go; null for memory of the pool
    StaticReceiver openReceiver(StaticEdge edge, @Nullable MemorySegment memory);

    /// The producer's end of a dynamic edge.
    DynamicSender openSender(DynamicEdge edge);

    /// The consumer's end of a dynamic edge.
    DynamicReceiver openReceiver(DynamicEdge edge);

    /// This worker's end of a partitioned tensor.
    PartitionedTensor openPartitioned(PartitionedTensorSpec spec);

    /// Ends a step; returns the sends that nobody had asked for.
    int closeStep(long stepId);

    /// Ends a step when nothing is left to be done in it, as [io.tensorferry.verbs.rendezvous.table.StepTable#finish].
    CompletableFuture<Void> finishStep(long stepId, Duration timeout);

    /// Ends every step, every edge and every partitioned tensor: what waits fails with `ABORTED`.
    void closeSteps();

    /// Waits, with the steps closed, until `patience` is over or nothing is written to peers any more and no peer
    /// writes here.
    void awaitTransfers(Deadline patience);

    /// How many calls one peer may have open at the same time; more wait at that peer.
    int maxCallsPerConnection();

    TensorAllocator allocator();

    /// Makes tensors in an accelerator's memory.
    ///
    /// @throws IllegalArgumentException if it is none of the server's
    TensorAllocator allocator(Accelerator device);

    /// Makes memory of the user known to the device until the result is closed.
    MemoryRegistration register(MemorySegment memory);

    /// The same of an accelerator's memory.
    ///
    /// @throws IllegalArgumentException if it is none of the server's, or the bytes are not all of one allocation
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION` with the reasons if the device does not
    ///     reach it
    MemoryRegistration register(Accelerator device, long address, long bytes);

    /// What the server offers to peers.
    List<BindableService> services();

    /// One attempt to connect to `peer`, or its success at once if it is connected; ends by itself. Fails with a
    /// [io.tensorferry.api.TransportException].
    CompletableFuture<Void> connect(String peer);

    /// The RDMA device, as `soft0`.
    String deviceName();

    TransportStatistics statistics();

    /// The channels to peers that are open now, by peer.
    List<ChannelDescription> channels();

    /// How this worker stands with each peer that it has had to do with, by peer.
    List<PeerStatus> peers();

    /// Ends all transfers and frees everything; the steps are closed before.
    @Override
    void close();
}
