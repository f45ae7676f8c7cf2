package io.tensorferry.verbs.partition;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;

/// The blocks of one tensor's gathers: so many rows are planned or read at a time, and no more.
///
/// Owner: the loop.
final class BlockPool {
    /// Of one tensor; of [BlockPlan#MOST_ROWS] each, some 12 MiB together.
    private static final int MOST_BLOCKS = 16;

    private final ArrayDeque<GatherBlock> free = new ArrayDeque<>();
    private final LinkedHashSet<RunningGather> waiting = new LinkedHashSet<>();
    private int made;

    /// Gives it a block, now or later.
    void request(RunningGather gather) {
        GatherBlock block = free.poll();
        if (block != null) {
            gather.onBlock(block);
        } else if (made < MOST_BLOCKS) {
            made++;
            gather.onBlock(new GatherBlock());
        } else {
            waiting.add(gather);
        }
    }

    /// It waits no longer.
    void withdraw(RunningGather gather) {
        waiting.remove(gather);
    }

    void giveBack(GatherBlock block) {
        if (waiting.isEmpty()) {
            free.push(block);
        } else {
            waiting.removeFirst().onBlock(block);
        }
    }
}
