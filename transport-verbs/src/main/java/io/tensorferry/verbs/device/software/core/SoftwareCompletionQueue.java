package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
/// Finished work requests, oldest first, in a ring that grows up to the capacity.
///
/// A completion that finds the queue full puts it into error, as hardware does: the completion is lost, CQ_ERR is
/// raised, polling fails from then on, and the attached queue pairs go to ERR.
///
/// Threading: the loop adds, one thread polls. Both hold the lock for one entry at a time, never while a handler runs.

final class SoftwareCompletionQueue implements CompletionQueue {
    private static final int FIRST_RING = 256;

    private final SoftwareDevice device;
    private final int capacity;
    private final @Nullable SoftwareCompletionChannel channel;
    private final OpenChildren uses = new OpenChildren("completion queue");
    private final List<SoftwareQueuePair> queuePairs = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private final CompletionEntry cursor = new CompletionEntry();
    private CompletionEntry[] ring;
    private long taken;
    /// Volatile, so that polling an empty queue takes no lock. The poller alone writes `taken`, except in [#purge].
    private volatile long added;
    private volatile boolean overrun;
    private boolean armed;

    SoftwareCompletionQueue(SoftwareDevice device, int capacity, @Nullable SoftwareCompletionChannel channel) {
        this.device = device;
        this.capacity = capacity;
        this.channel = channel;
        this.ring = newRing(Math.min(Integer.highestOneBit(Math.max(1, capacity - 1)) * 2, FIRST_RING));
    }

    @Override
    public int poll(int maximum, WorkCompletionHandler handler) {
        if (added == taken) {
            device.loop().progress();
        }
        int count = 0;
        while (count < maximum && handler.wantsMore() && take()) {
            handler.onCompletion(cursor);
            count++;
        }
        return count;
    }

    /// Moves the oldest completion to the cursor and frees the slots that it covers. Runs before the handler, so that
    /// the handler may post immediately.
    private boolean take() {
        if (overrun) {
            throw new VerbsException(
                    "ibv_poll_cq", VerbsException.EIO, "the completion queue of " + capacity + " entries was overrun");
        }
        if (added == taken) {
            return false;
        }
        synchronized (lock) {
            if (added == taken) {
                return false;
            }
            CompletionEntry entry = ring[(int) taken & ring.length - 1];
            cursor.copyFrom(entry);
            entry.queuePair = null;
            taken++;
        }
        SoftwareQueuePair owner = cursor.queuePair;
        if (owner != null) {
            owner.completionPolled(cursor.ofSendQueue, cursor.index);
            cursor.queuePair = null;
        }
        return true;
    }

    void addSend(SoftwareQueuePair owner, long index, SendSlot slot, WorkStatus status) {
        boolean notify;
        synchronized (lock) {
            CompletionEntry entry = nextEntry();
            if (entry == null) {
                return;
            }
            entry.setSend(owner, index, slot, status);
            notify = publish();
        }
        raise(notify);
    }

    void addReceive(SoftwareQueuePair owner, long index, long workId, WorkStatus status, @Nullable Request request) {
        boolean notify;
        synchronized (lock) {
            CompletionEntry entry = nextEntry();
            if (entry == null) {
                return;
            }
            entry.setReceive(owner, index, workId, status, request);
            notify = publish();
        }
        raise(notify);
    }

    private @Nullable CompletionEntry nextEntry() {
        int count = (int) (added - taken);
        if (overrun) {
            return null;
        }
        if (count == capacity) {
            overrun = true;
            device.loop().submit(this::failQueuePairs);
            raise(true);
            return null;
        }
        if (count == ring.length) {
            grow();
        }
        return ring[(int) added & ring.length - 1];
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held; volatile is for the look without it
    private boolean publish() {
        added = added + 1;
        boolean notify = armed;
        armed = false;
        return notify;
    }

    private void raise(boolean notify) {
        if (notify && channel != null) {
            channel.wakeUp();
        }
    }

    private void grow() {
        CompletionEntry[] larger = newRing(ring.length * 2);
        for (long i = taken; i < added; i++) {
            larger[(int) i & larger.length - 1] = ring[(int) i & ring.length - 1];
        }
        ring = larger;
    }

    private static CompletionEntry[] newRing(int length) {
        var ring = new CompletionEntry[length];
        for (int i = 0; i < length; i++) {
            ring[i] = new CompletionEntry();
        }
        return ring;
    }

    /// Fails the queue as an overrun would. On the loop.
    void fail() {
        synchronized (lock) {
            overrun = true;
        }
        raise(true);
        failQueuePairs();
    }

    private void failQueuePairs() {
        device.raise(AsyncEvent.Type.CQ_ERR, 0);
        for (SoftwareQueuePair queuePair : queuePairs) {
            if (queuePair.enterError()) {
                device.raise(AsyncEvent.Type.QP_FATAL, queuePair.number());
            }
        }
    }

    /// Removes the completions of a queue pair that was destroyed or reset.
    void purge(SoftwareQueuePair owner) {
        synchronized (lock) {
            long kept = taken;
            for (long i = taken; i < added; i++) {
                CompletionEntry entry = ring[(int) i & ring.length - 1];
                if (entry.queuePair != owner) {
                    int target = (int) kept & ring.length - 1;
                    ring[(int) i & ring.length - 1] = ring[target];
                    ring[target] = entry;
                    kept++;
                }
            }
            added = kept;
        }
    }

    @Override
    public void requestNotification() {
        synchronized (lock) {
            armed = true;
        }
        if (overrun) {
            raise(true);
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /// Counts the work queues that use this completion queue.
    OpenChildren uses() {
        return uses;
    }

    void attach(SoftwareQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void detach(SoftwareQueuePair queuePair) {
        queuePairs.remove(queuePair);
        uses.remove();
    }

    boolean belongsTo(SoftwareDevice other) {
        return device == other;
    }

    @Override
    public void close() {
        if (uses.close("ibv_destroy_cq")) {
            if (channel != null) {
                channel.queues().remove();
            }
            device.children().remove();
        }
    }
}
