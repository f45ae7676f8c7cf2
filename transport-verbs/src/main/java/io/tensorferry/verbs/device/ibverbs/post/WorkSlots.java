package io.tensorferry.verbs.device.ibverbs.post;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The slots of one work queue: how many are taken, and the work id of each.
///
/// Drivers free a slot when they like, and some do not notice when there is none. Here it is free when its completion
/// was polled, or that of a later request, on every device. Requests travel under their slot's number, so that a
/// completion tells which slots it frees, those of unsignaled requests before it too.
///
/// Threading: slots are taken by one thread at a time, who holds the queue's lock, and freed by the poller.
public final class WorkSlots {
    private static final VarHandle ID = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long NUMBER_MASK = 0xFFFF_FFFFL;

    private final int depth;
    private final long[] workIds;
    private volatile long taken;
    private volatile long freed;

    /// @param depth how many requests there may be at once, at least 1
    public WorkSlots(int depth) {
        this.depth = depth;
        this.workIds = new long[Integer.highestOneBit(Math.max(1, depth * 2 - 1))];
    }

    public boolean isFull() {
        return taken - freed >= depth;
    }

    /// How many numbers follow each other before one falls on the same place: a power of two.
    public int length() {
        return workIds.length;
    }

    public int depth() {
        return depth;
    }

    /// Writes the work id into the next slot and returns the slot's number; [#take()] makes it count.
    public int prepare(long workId) {
        long next = taken;
        ID.setRelease(workIds, (int) next & (workIds.length - 1), workId);
        return (int) next;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the queue's lock is held
    public void take() {
        taken++;
    }

    /// The latest slots that count, so many, count no longer: nothing was posted under their numbers.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the queue's lock is held
    public void giveBack(int count) {
        taken -= count;
    }

    /// Frees the slots up to this one.
    ///
    /// @param number what [#prepare] returned, as it came back with a completion
    /// @return the work id
    public long free(int number) {
        long done = freed;
        long slot = done + ((number - done) & NUMBER_MASK);
        long workId = (long) ID.getAcquire(workIds, (int) slot & (workIds.length - 1));
        freed = slot + 1;
        return workId;
    }

    /// Forgets all requests; none of them completes any more.
    public void clear() {
        freed = taken;
    }
}
