package io.tensorferry.verbs.statistics;

/// What the edges of one worker have done since its start. Immutable.
///
/// @param senders producers' ends that have not ended
/// @param receivers consumers' ends that have not ended
/// @param tensorsSent tensors that were written completely
/// @param bytesSent bytes of these
/// @param tensorsReceived tensors that have arrived
/// @param bytesReceived bytes of these
/// @param unregisteredCopies tensors that were sent through a copy, because their memory is not registered
public record EdgeStatistics(
        int senders,
        int receivers,
        long tensorsSent,
        long bytesSent,
        long tensorsReceived,
        long bytesReceived,
        long unregisteredCopies) {}
