package io.tensorferry.api.partition;

/// Options for the RDMA READs of a [PartitionedTensor#gather]. Immutable. The defaults are the fastest settings; the
/// alternatives exist to measure the effect of each.
///
/// @param queuePairs the number of queue pairs per peer that share the reads evenly; 0, the default, uses all queue
///     pairs of the peer's channel
/// @param signalInterval every Nth read on a queue pair, and always the last, requests a completion; 1 or more, by
///     default 128
/// @param sorted whether reads are posted by ascending address, so that consecutive reads hit address translations that
///     the device has cached; by default true
/// @param merged whether adjacent rows and repeated rows share one read; by default true
/// @param mostCopiedRowBytes the largest row, in bytes, that is merged with its neighbours even if their destinations
///     are apart: one read fetches them into memory of the transport, and each row is copied to its destination.
///     Copying a small row costs less than reading it separately. 0 merges only rows whose destinations are adjacent
///     too; by default 4,096. If the device cannot write the result directly, all rows are copied, regardless of this
///     limit
public record GatherOptions(
        int queuePairs, int signalInterval, boolean sorted, boolean merged, int mostCopiedRowBytes) {
    private static final GatherOptions DEFAULTS = new GatherOptions(0, 128, true, true, 4096);

    /// @throws IllegalArgumentException if a value is out of its range; the message names it
    public GatherOptions {
        if (queuePairs < 0) {
            throw new IllegalArgumentException("queuePairs " + queuePairs + " must be 0 or more");
        }
        if (signalInterval < 1) {
            throw new IllegalArgumentException("signalInterval " + signalInterval + " must be 1 or more");
        }
        if (mostCopiedRowBytes < 0) {
            throw new IllegalArgumentException("mostCopiedRowBytes " + mostCopiedRowBytes + " must be 0 or more");
        }
    }

    /// All queue pairs of the channel, a completion every 128 reads, sorted and merged, copying rows of up to 4,096
    /// bytes.
    public static GatherOptions defaults() {
        return DEFAULTS;
    }

    /// Returns a copy with another number of queue pairs per peer.
    ///
    /// @param changed 0 or more; 0 uses all queue pairs of the peer's channel
    /// @throws IllegalArgumentException if `changed` is negative
    public GatherOptions withQueuePairs(int changed) {
        return new GatherOptions(changed, signalInterval, sorted, merged, mostCopiedRowBytes);
    }

    /// Returns a copy with another interval between reads that request a completion.
    ///
    /// @param changed 1 or more; 1 requests a completion for every read
    /// @throws IllegalArgumentException if `changed` is 0 or less
    public GatherOptions withSignalInterval(int changed) {
        return new GatherOptions(queuePairs, changed, sorted, merged, mostCopiedRowBytes);
    }

    /// Returns a copy that enables or disables posting reads by ascending address.
    public GatherOptions withSorted(boolean changed) {
        return new GatherOptions(queuePairs, signalInterval, changed, merged, mostCopiedRowBytes);
    }

    /// Returns a copy that enables or disables merging of adjacent and repeated rows into one read.
    public GatherOptions withMerged(boolean changed) {
        return new GatherOptions(queuePairs, signalInterval, sorted, changed, mostCopiedRowBytes);
    }

    /// Returns a copy with another limit, in bytes, for rows that are read together and then copied to their
    /// destinations.
    ///
    /// @param changed 0 or more; 0 merges only rows whose destinations are adjacent too
    /// @throws IllegalArgumentException if `changed` is negative
    public GatherOptions withMostCopiedRowBytes(int changed) {
        return new GatherOptions(queuePairs, signalInterval, sorted, merged, changed);
    }
}
