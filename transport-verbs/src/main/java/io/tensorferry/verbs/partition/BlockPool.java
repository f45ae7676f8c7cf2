package io.tensorferry.verbs.partition;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;

/// The blocks of one tensor's gathers; bounds the number of rows that are planned or read at a time.
///
/// Owner: the loop.
final class BlockPool {
    /// The most blocks of one tensor; with [BlockPlan#MOST_ROWS] each, about 12 MiB together.
    private static final int MOST_BLOCKS = 16;

    private final ArrayDeque<GatherBlock> free = new ArrayDeque<>();
    private final LinkedHashSet<RunningGather> waiting = new LinkedHashSet<>();
    private int made;

    /// Gives `gather` a block, now or later.
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

    /// Removes `gather` from the waiting gathers.
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
