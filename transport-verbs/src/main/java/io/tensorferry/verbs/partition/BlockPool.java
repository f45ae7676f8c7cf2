package io.tensorferry.verbs.partition;

import java.util.ArrayDeque;

/// The blocks of one tensor's gathers: so many rows are planned or read at a time, and no more.
///
/// Owner: the loop.
final class BlockPool {
    /// Of one tensor; of [BlockPlan#MOST_ROWS] each, some 12 MiB together.
    private static final int MOST_BLOCKS = 16;

    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private final ArrayDeque<RunningGather> waiting = new ArrayDeque<>();
    private int made;

    /// Gives it a block, now or later.
    void request(RunningGather gather) {
        Block block = free.poll();
        if (block != null) {
            gather.onBlock(block);
        } else if (made < MOST_BLOCKS) {
            made++;
            gather.onBlock(new Block());
        } else {
            waiting.add(gather);
        }
    }

    /// It waits no longer.
    void withdraw(RunningGather gather) {
        waiting.remove(gather);
    }

    void giveBack(Block block) {
        RunningGather next = waiting.poll();
        if (next != null) {
            next.onBlock(block);
        } else {
            free.push(block);
        }
    }
}
