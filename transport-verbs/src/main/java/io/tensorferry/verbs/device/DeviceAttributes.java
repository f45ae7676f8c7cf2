package io.tensorferry.verbs.device;

/// The limits of a device (`ibv_query_device`).
///
/// @param portCount physical ports, numbered from 1
/// @param maxQueuePairs queue pairs at once
/// @param maxWorkRequests work requests in one send or receive queue (`max_qp_wr`)
/// @param maxCompletionQueueEntries completions in one completion queue (`max_cqe`)
/// @param maxMemoryRegions registrations at once
/// @param maxMemoryRegionBytes the largest registration
/// @param maxMemoryWindows memory windows of type 2 at once (`max_mw`); 0 where the device has none of that type
/// @param maxWindowBytes what one memory window opens at most; larger binds fail with EOPNOTSUPP
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
        int maxMemoryWindows,
        long maxWindowBytes,
        int maxReadsAsTarget,
        int maxReadsAsInitiator,
        boolean writeWithImmediate) {
    /// What a window opens at most on a device that does not say: the verbs have no limit to ask for, and mlx5 refuses
    /// a bind of more than 2 GiB, because an entry of its key tables describes no more.
    public static final long USUAL_WINDOW_BYTES = 1L << 31;

    /// Whether the device has memory windows of type 2, see [MemoryWindow].
    public boolean hasMemoryWindows() {
        return maxMemoryWindows > 0;
    }
}
