package io.tensorferry.verbs.wire;

import org.jspecify.annotations.Nullable;

/// The 64-bit id of a work request, returned in its completion: from the high bits down, 8 bits of [WorkKind], 8 bits
/// of the number of its queue pair in the channel, and 48 bits of its sequence number in that queue.
///
/// Local: it is never sent. No kind has the code 0, so that the completion of a request not posted by this transport is
/// recognised.
public final class WorkId {
    /// Number of queue pairs that an id can distinguish.
    public static final int LANES = 1 << 8;

    private static final int KIND_SHIFT = 56;
    private static final int LANE_SHIFT = 48;
    private static final long SEQUENCE_MASK = (1L << LANE_SHIFT) - 1;

    private WorkId() {}

    /// @param lane the queue pair, 0 to `LANES - 1`
    /// @param sequence a sequence number, of which the low 48 bits are kept
    /// @throws IllegalArgumentException if `lane` is out of range
    public static long of(WorkKind kind, int lane, long sequence) {
        if (lane < 0 || lane >= LANES) {
            throw new IllegalArgumentException("the queue pair " + lane + " must be in [0, " + LANES + ")");
        }
        return ((long) kind.code() << KIND_SHIFT) | ((long) lane << LANE_SHIFT) | (sequence & SEQUENCE_MASK);
    }

    /// The kind, or null if no work request of this transport has such an id.
    public static @Nullable WorkKind kind(long workId) {
        return WorkKind.ofCode((int) (workId >>> KIND_SHIFT));
    }

    /// 0 to `LANES - 1`.
    public static int lane(long workId) {
        return (int) (workId >>> LANE_SHIFT) & LANES - 1;
    }

    /// Difference between the sequence number of `workId` and `first`, modulo 2^48.
    public static long distance(long first, long workId) {
        return workId - first & SEQUENCE_MASK;
    }
}
