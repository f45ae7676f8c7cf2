package io.tensorferry.grpc;

import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import io.tensorferry.verbs.statistics.EdgeStatistics;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a server has moved since its start, and what it is about. A picture of one moment; the numbers are read one
/// after the other.
///
/// Tensors that stay on their worker are not counted: they do not move.
///
/// @param openSteps steps that this worker or a peer has named and this worker has not closed
/// @param ownOpenSteps of these, steps that this worker has named itself, and is to finish or close; a number that
/// grows
///     shows that some never are. At 1,000 a warning is logged, once
/// @param oldestOwnStep how long the oldest of them has been open; 0 if there is none
/// @param pendingReceives receives of tensors on other workers that have not ended
/// @param droppedSends sends that nobody had asked for when their step was closed
/// @param tensorsReceived tensors from other workers, dead ones too
/// @param bytesReceived their content on the wire
/// @param tensorsSent tensors to other workers, dead ones too
/// @param bytesSent their content on the wire
/// @param refusedCalls calls of others that were turned away for who made them: no certificate, another worker's, no
///     member of the cluster
/// @param refusedConnections connections to this worker that ended before their other end had shown the certificate of
///     a peer, or did not speak HTTP/2 to a worker without TLS, or that were too many
/// @param refusedCallbacks callbacks of receives that the executor of callbacks rejected, and which ran on a thread of
///     the transport's
/// @param edges what of this went over edges, and more about them; null over gRPC
/// @param partitioned what was read of partitioned tensors, which is not counted above; null over gRPC
/// @param accelerators what was copied to and from each accelerator, and its memory; empty over gRPC
/// @param verbs more about the verbs transport and its memory; null over gRPC
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
