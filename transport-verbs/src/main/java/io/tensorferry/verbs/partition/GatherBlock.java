package io.tensorferry.verbs.partition;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A run of a gather's ids while their rows are planned and read; reused by later gathers.
///
/// Owner: the loop; a worker while the block is planned.
final class GatherBlock {
    final BlockPlan plan = new BlockPlan();
    private @Nullable RunningGather gather;
    // The index of its first id.
    private int from;
    private int count;
    // The number of unfinished reads, plus one for the planning.
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

    /// Ends the planning and sets the number of reads.
    void expect(int reads) {
        left += reads - 1;
    }

    /// Counts reads that are done or dropped; returns whether none is left.
    boolean settle(int reads) {
        left -= reads;
        return left == 0;
    }

    boolean isSettled() {
        return left == 0;
    }
}
