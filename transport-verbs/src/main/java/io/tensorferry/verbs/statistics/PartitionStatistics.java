package io.tensorferry.verbs.statistics;

/// What the partitioned tensors of one worker have done since its start. Immutable.
///
/// @param tensors that are open
/// @param gathersUnderWay gathers that are not done
/// @param gathers that have succeeded
/// @param localRows rows of this worker, or of its copy, that gathers took
/// @param remoteRows rows of peers that gathers took
/// @param reads that have arrived: fewer than rows where rows were merged
/// @param bytesRead of these
/// @param readsAgain reads that were lost with a channel and done again over the next
public record PartitionStatistics(
        int tensors,
        int gathersUnderWay,
        long gathers,
        long localRows,
        long remoteRows,
        long reads,
        long bytesRead,
        long readsAgain) {}
