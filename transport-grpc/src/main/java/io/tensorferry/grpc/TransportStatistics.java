package io.tensorferry.grpc;

import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import io.tensorferry.verbs.statistics.EdgeStatistics;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A snapshot of a server's counters since its start, and of its current load. The values are read one after another,
/// so they are not mutually consistent.
///
/// Tensors whose producer and consumer are on the same worker are not counted.
///
/// @param openSteps steps that this worker or a peer has named and this worker has not closed
/// @param ownOpenSteps those of `openSteps` that this worker itself has named and must finish or close; continuous
///     growth indicates that some steps are never closed. At 1,000 a warning is logged once
/// @param oldestOwnStep the age of the oldest of these steps; 0 if none is open
/// @param pendingReceives receives from other workers that have not ended
/// @param droppedSends unclaimed sends that were dropped when their step was closed
/// @param tensorsReceived tensors from other workers, dead tensors included
/// @param bytesReceived bytes of their content on the wire
/// @param tensorsSent tensors to other workers, dead tensors included
/// @param bytesSent bytes of their content on the wire
/// @param refusedCalls calls refused because of the caller: without a certificate, with another worker's certificate,
///     or not a member of the cluster
/// @param refusedConnections connections refused: closed before the caller presented a peer's certificate, without the
///     HTTP/2 preface on a server without TLS, or over the limits
/// @param refusedCallbacks callbacks that the callback executor rejected and that ran on a thread of the transport
/// @param edges the share of edges in these counts, and further counters of edges; null over gRPC
/// @param partitioned counters of reads of partitioned tensors, not included in the counts above; null over gRPC
/// @param accelerators counters of copies to and from each accelerator, and its memory; empty over gRPC
/// @param verbs further counters of the verbs transport and its memory; null over gRPC
public record TransportStatistics(
        int openSteps,
        int ownOpenSteps,
        Duration oldestOwnStep,
        int pendingReceives,
        long droppedSends,
        long tensorsReceived,
        long bytesReceived,
        long tensorsSent,
        long bytesSent,
        long refusedCalls,
        long refusedConnections,
        long refusedCallbacks,
        @Nullable EdgeStatistics edges,
        @Nullable PartitionStatistics partitioned,
        List<AcceleratorStatistics> accelerators,
        @Nullable RendezvousStatistics verbs) {
    public TransportStatistics {
        accelerators = List.copyOf(accelerators);
    }

    TransportStatistics withRefused(long calls, long connections, long callbacks) {
        return new TransportStatistics(
                openSteps,
                ownOpenSteps,
                oldestOwnStep,
                pendingReceives,
                droppedSends,
                tensorsReceived,
                bytesReceived,
                tensorsSent,
                bytesSent,
                calls,
                connections,
                callbacks,
                edges,
                partitioned,
                accelerators,
                verbs);
    }
}
