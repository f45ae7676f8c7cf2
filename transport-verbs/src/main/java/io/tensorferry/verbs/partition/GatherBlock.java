package io.tensorferry.verbs.partition;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A run of ids of a gather, while their rows are planned and read; serves one gather after the other.
///
/// Owner: the loop; while it is planned, a worker.
final class GatherBlock {
    final BlockPlan plan = new BlockPlan();
    private @Nullable RunningGather gather;
    // The first of its ids.
    private int from;
    private int count;
    // Reads whose rows are not in their places, and one for the planning.
    private int left;

    void begin(RunningGather user, int firstId, int ids) {
        gather = user;
        from = firstId;
        count = ids;
        left = 1;
    }

    RunningGather gather() {
        return Objects.requireNonNull(gather);
    }

    int from() {
        return from;
    }

    int count() {
        return count;
    }

    /// The planning is over.
    void expect(int reads) {
        left += reads - 1;
    }

    /// So many reads are done, or will not be; returns whether these were the last.
    boolean settle(int reads) {
        left -= reads;
        return left == 0;
    }

    boolean isSettled() {
        return left == 0;
    }
}
