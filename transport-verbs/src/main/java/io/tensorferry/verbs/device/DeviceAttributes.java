package io.tensorferry.verbs.device;

/// The limits of a device (`ibv_query_device`).
///
/// @param portCount physical ports, numbered from 1
/// @param maxQueuePairs queue pairs at once
/// @param maxWorkRequests work requests in one send or receive queue (`max_qp_wr`)
/// @param maxCompletionQueueEntries completions in one completion queue (`max_cqe`)
/// @param maxMemoryRegions registrations at once
/// @param maxMemoryRegionBytes the largest registration
/// @param maxReadsAsTarget RDMA READs that one queue pair answers at once (`max_qp_rd_atom`)
/// @param maxReadsAsInitiator RDMA READs that one queue pair has outstanding (`max_qp_init_rd_atom`)
/// @param writeWithImmediate whether RDMA WRITE with immediate exists (not on iWARP)
public record DeviceAttributes(
        int portCount,
        int maxQueuePairs,
        int maxWorkRequests,
        int maxCompletionQueueEntries,
        int maxMemoryRegions,
        long maxMemoryRegionBytes,
        int maxReadsAsTarget,
        int maxReadsAsInitiator,
        boolean writeWithImmediate) {}
