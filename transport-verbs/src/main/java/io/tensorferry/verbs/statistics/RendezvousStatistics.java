package io.tensorferry.verbs.statistics;

/// Counters of a worker's rendezvous since its start. The values are read one after the other while work continues, so
/// they are not an atomic snapshot.
///
/// @param openSteps steps that were named and not yet closed
/// @param droppedSends sends that nobody had requested when their step was closed
/// @param pendingRequests receives from other workers whose memory or index is still in use
/// @param pendingResponses requests of other workers that are not answered or whose content is not yet written
/// @param coldRequests receives sent without known metadata
/// @param warmRequests receives whose first message named the destination memory
/// @param reRequests receives that took the extra round trip
/// @param tensorsReceived contents received, including dead and empty ones
/// @param bytesReceived bytes of these contents
/// @param tensorsSent contents written, including dead and empty ones
/// @param bytesSent bytes of these contents
/// @param tensorsCarried contents copied into messages of the ring, including repetitions after a loss
/// @param failedReceives receives from other workers that failed, were cancelled or aborted
/// @param unregisteredCopies tensors sent through a registered copy
/// @param copiedResults received tensors that were copied into a user's unregistered memory
/// @param staleIndexes contents and messages for requests that had already ended
/// @param checksumMismatches contents that did not match their checksum
/// @param fallbackReceives receives over the fallback; the other counts of requests, tensors and bytes exclude them
/// @param fallbackRequests requests of other workers over the fallback
/// @param memory the registered memory
public record RendezvousStatistics(
        int openSteps,
        long droppedSends,
        int pendingRequests,
        int pendingResponses,
        long coldRequests,
        long warmRequests,
        long reRequests,
        long tensorsReceived,
        long bytesReceived,
        long tensorsSent,
        long bytesSent,
        long tensorsCarried,
        long failedReceives,
        long unregisteredCopies,
        long copiedResults,
        long staleIndexes,
        long checksumMismatches,
        long fallbackReceives,
        long fallbackRequests,
        MemoryStatistics memory) {}
