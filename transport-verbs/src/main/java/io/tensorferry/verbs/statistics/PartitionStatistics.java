package io.tensorferry.verbs.statistics;

/// Counters of one worker's partitioned tensors since its start. Immutable.
///
/// @param tensors open partitioned tensors
/// @param gathersUnderWay gathers in progress
/// @param gathers gathers that have succeeded
/// @param localRows rows that gathers took from this worker or its copy
/// @param remoteRows rows that gathers read from peers
/// @param reads completed RDMA READs; fewer than `remoteRows` where adjacent rows were merged
/// @param bytesRead bytes of these reads
/// @param readsAgain reads that were lost with a channel and repeated over the next
public record PartitionStatistics(
        int tensors,
        int gathersUnderWay,
        long gathers,
        long localRows,
        long remoteRows,
        long reads,
        long bytesRead,
        long readsAgain) {}
