package io.tensorferry.grpc;

import io.grpc.BindableService;
import io.tensorferry.api.Accelerator;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.grpc.peer.Deadline;
import io.tensorferry.verbs.rendezvous.table.StepRendezvous;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The transport of one server: RDMA or gRPC. The server depends on no other part of a protocol.
///
/// Threading: any thread.
interface WorkerTransport extends AutoCloseable {
    StepRendezvous rendezvous(long stepId);

    /// Opens the producer's end of a static edge.
    StaticSender openSender(StaticEdge edge);

    /// Opens the consumer's end of a static edge.
    ///
    /// @param memory the memory for its tensors; null for memory of the pool
    StaticReceiver openReceiver(StaticEdge edge, @Nullable MemorySegment memory);

    /// Opens the producer's end of a dynamic edge.
    DynamicSender openSender(DynamicEdge edge);

    /// Opens the consumer's end of a dynamic edge.
    DynamicReceiver openReceiver(DynamicEdge edge);

    /// Opens this worker's end of a partitioned tensor.
    PartitionedTensor openPartitioned(PartitionedTensorSpec spec);

    /// Ends a step; returns the number of unclaimed sends that were dropped.
    int closeStep(long stepId);

    /// Ends a step once all its work is done, as [io.tensorferry.verbs.rendezvous.table.StepTable#finish].
    CompletableFuture<Void> finishStep(long stepId, Duration timeout);

    /// Ends every step, edge and partitioned tensor; pending operations fail with `ABORTED`.
    void closeSteps();

    /// Waits, after the steps are closed, until transfers to and from peers have ended or `patience` is over.
    void awaitTransfers(Deadline patience);

    /// The number of calls that one peer may have open at the same time; further calls wait at the peer.
    int maxCallsPerConnection();

    TensorAllocator allocator();

    /// Returns the allocator of an accelerator's memory.
    ///
    /// @throws IllegalArgumentException if the server was not given the accelerator
    TensorAllocator allocator(Accelerator device);

    /// Registers the user's memory with the RDMA device until the result is closed.
    MemoryRegistration register(MemorySegment memory);

    /// Registers the user's memory on an accelerator with the RDMA device until the result is closed.
    ///
    /// @throws IllegalArgumentException if the server was not given the accelerator, or the range is not contained in
    ///     one allocation
    /// @throws io.tensorferry.api.TransportException `FAILED_PRECONDITION`, with the reasons, if the RDMA device cannot
    ///     access it
    MemoryRegistration register(Accelerator device, long address, long bytes);

    /// The gRPC services that the server exposes to peers.
    List<BindableService> services();

    /// Makes one attempt to connect to `peer`, of bounded duration; succeeds at once if it is connected. Fails with a
    /// [io.tensorferry.api.TransportException].
    CompletableFuture<Void> connect(String peer);

    /// The name of the RDMA device, as `soft0`; `none (grpc)` over gRPC.
    String deviceName();

    TransportStatistics statistics();

    /// The open channels, sorted by peer.
    List<ChannelDescription> channels();

    /// The state of each peer that this worker has communicated with, sorted by peer.
    List<PeerStatus> peers();

    /// Ends all transfers and releases all resources. Close the steps first.
    @Override
    void close();
}
