package io.tensorferry.verbs.device;

/// The limits of a device (`ibv_query_device`).
///
/// @param portCount physical ports, numbered from 1
/// @param maxQueuePairs maximum number of queue pairs
/// @param maxWorkRequests work requests in one send or receive queue (`max_qp_wr`)
/// @param maxCompletionQueueEntries completions in one completion queue (`max_cqe`)
/// @param maxMemoryRegions maximum number of memory regions
/// @param maxMemoryRegionBytes bytes of the largest memory region
/// @param maxMemoryWindows maximum number of memory windows of type 2 (`max_mw`); 0 if the device does not support that
///     type
/// @param maxWindowBytes maximum bytes of one memory window; larger binds fail with EOPNOTSUPP
/// @param maxReadsAsTarget RDMA READs that one queue pair serves concurrently (`max_qp_rd_atom`)
/// @param maxReadsAsInitiator outstanding RDMA READs of one queue pair (`max_qp_init_rd_atom`)
/// @param writeWithImmediate whether the device supports RDMA WRITE with immediate (not on iWARP)
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
    /// The maximum window size assumed for a device that does not report one. The verbs have no attribute for it, and
    /// mlx5 rejects a bind of more than 2 GiB because an entry of its key tables describes no more.
    public static final long USUAL_WINDOW_BYTES = 1L << 31;

    /// Whether the device supports memory windows of type 2, see [MemoryWindow].
    public boolean hasMemoryWindows() {
        return maxMemoryWindows > 0;
    }
}
