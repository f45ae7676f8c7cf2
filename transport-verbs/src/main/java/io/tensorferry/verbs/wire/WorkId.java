package io.tensorferry.verbs.wire;

import org.jspecify.annotations.Nullable;

/// The 64-bit id of a work request, which comes back with its completion: a [WorkKind] in the high 8 bits and a
/// number of that kind in the low 56.
///
/// Local: it never travels. No kind has the code 0, so that a completion of something never posted by this
/// transport is recognised.
public final class WorkId {
    /// The largest number an id can carry.
    public static final long MAX_NUMBER = (1L << 56) - 1;

    private static final int KIND_SHIFT = 56;

    private WorkId() {}

    /// @throws IllegalArgumentException if `number` is not in `[0, MAX_NUMBER]`
    public static long of(WorkKind kind, long number) {
        if (number < 0 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("the number " + number + " of a work id must be in [0, 2^56)");
        }
        return ((long) kind.code() << KIND_SHIFT) | number;
    }

    /// The kind, or null if no work request of this transport has such an id.
    public static @Nullable WorkKind kind(long workId) {
        return WorkKind.ofCode((int) (workId >>> KIND_SHIFT));
    }

    /// 0 to [#MAX_NUMBER].
    public static long number(long workId) {
        return workId & MAX_NUMBER;
    }
}
