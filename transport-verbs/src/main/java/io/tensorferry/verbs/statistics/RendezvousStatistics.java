package io.tensorferry.verbs.statistics;

/// What a worker's rendezvous have done since its start, at one moment; the numbers are read one after the other
/// while work goes on.
///
/// @param openSteps steps that were named and not closed
/// @param droppedSends sends that nobody had asked for when their step was closed
/// @param pendingRequests receives from other workers whose memory or index is still in use
/// @param pendingResponses requests of other workers that are not answered or not yet written
/// @param coldRequests receives whose metadata was not known
/// @param warmRequests receives that named their memory in the first message
/// @param reRequests receives that took the extra round trip
/// @param tensorsReceived contents that landed, dead and empty ones too
/// @param bytesReceived bytes of them
/// @param tensorsSent contents that were written, dead and empty ones too
/// @param bytesSent bytes of them
/// @param tensorsCarried contents that were copied into messages of the ring, again after a loss too
/// @param failedReceives receives from other workers that failed, were cancelled or aborted
/// @param unregisteredCopies tensors that were sent through a registered copy
/// @param copiedResults tensors that were copied when they had landed, into memory of the user's that is not registered
/// @param staleIndexes contents and messages for requests that had ended
/// @param checksumMismatches contents that did not match their checksum
/// @param fallbackReceives receives that went over the fallback; the counts of requests, tensors and bytes here are
/// without
///     them
/// @param fallbackRequests requests of other workers that came over the fallback
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
