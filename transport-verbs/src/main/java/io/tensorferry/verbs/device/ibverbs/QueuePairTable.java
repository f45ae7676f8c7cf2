package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.ibverbs.post.WorkTag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The queue pairs that use one completion queue, by the index in the tags of their work requests.
///
/// Threading: any thread adds and removes; the poller looks up without a lock.
final class QueuePairTable {
    private static final int FIRST_LENGTH = 8;

    private record Entry(int owner, IbverbsQueuePair queuePair) {}

    // Replaced by a copy on each change, so that readers see a consistent table.
    private volatile @Nullable Entry[] entries = new @Nullable Entry[FIRST_LENGTH];
    private final ArrayDeque<Integer> freeIndexes = new ArrayDeque<>();
    private int used;
    private int generation;

    /// @return the owner part of its tags, see [WorkTag]
    /// @throws VerbsException ENOMEM if the table already has 65,536 queue pairs
    synchronized int add(IbverbsQueuePair queuePair) {
        // Reuses the index that has been free for longest, so that late completions of its former owner are least
        // likely.
        Integer free = freeIndexes.poll();
        int index = free == null ? used : free;
        if (index > WorkTag.MAX_INDEX) {
            throw new VerbsException(
                    "ibv_create_qp",
                    VerbsException.ENOMEM,
                    "the completion queue serves " + used + " queue pairs, its limit");
        }
        if (free == null) {
            used++;
        }
        @Nullable Entry[] changed = Arrays.copyOf(entries, Math.max(entries.length, Integer.highestOneBit(index) * 2));
        int owner = WorkTag.owner(index, generation++);
        changed[index] = new Entry(owner, queuePair);
        entries = changed;
        return owner;
    }

    synchronized void remove(int owner) {
        int index = WorkTag.index(owner);
        @Nullable Entry[] changed = entries.clone();
        changed[index] = null;
        entries = changed;
        freeIndexes.add(index);
    }

    /// @return null if the queue pair no longer exists
    @Nullable
    IbverbsQueuePair find(int owner) {
        @Nullable Entry[] current = entries;
        int index = WorkTag.index(owner);
        Entry entry = index < current.length ? current[index] : null;
        return entry != null && entry.owner == owner ? entry.queuePair : null;
    }

    List<IbverbsQueuePair> all() {
        var all = new ArrayList<IbverbsQueuePair>();
        for (Entry entry : entries) {
            if (entry != null && !all.contains(entry.queuePair)) {
                all.add(entry.queuePair);
            }
        }
        return all;
    }
}
