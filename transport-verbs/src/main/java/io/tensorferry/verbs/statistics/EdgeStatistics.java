package io.tensorferry.verbs.statistics;

/// Counters of one worker's edges since its start. Immutable.
///
/// @param senders open edges at the producer's end
/// @param receivers open edges at the consumer's end
/// @param tensorsSent tensors written completely
/// @param bytesSent bytes of these tensors
/// @param tensorsReceived tensors received
/// @param bytesReceived bytes of these tensors
/// @param unregisteredCopies tensors sent through a copy because their memory is not registered
public record EdgeStatistics(
        int senders,
        int receivers,
        long tensorsSent,
        long bytesSent,
        long tensorsReceived,
        long bytesReceived,
        long unregisteredCopies) {}
