package io.tensorferry.verbs.device.ibverbs.post;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The slots of one work queue: the number in use, and the work id of each.
///
/// Drivers differ in when they free a slot, and some do not detect a full queue. This class frees a slot on every
/// device when its completion, or that of a later request, was polled. Requests are tagged with their slot number, so
/// that a completion identifies the slots it frees, including those of earlier unsignaled requests.
///
/// Threading: the holder of the queue's lock takes slots; the poller frees them.
public final class WorkSlots {
    private static final VarHandle ID = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long NUMBER_MASK = 0xFFFF_FFFFL;

    private final int depth;
    private final long[] workIds;
    private volatile long taken;
    private volatile long freed;

    /// @param depth maximum number of outstanding requests, at least 1
    public WorkSlots(int depth) {
        this.depth = depth;
        this.workIds = new long[Integer.highestOneBit(Math.max(1, depth * 2 - 1))];
    }

    public boolean isFull() {
        return taken - freed >= depth;
    }

    /// The number of distinct slot numbers before one reuses the same position: a power of two.
    public int length() {
        return workIds.length;
    }

    public int depth() {
        return depth;
    }

    /// Stores the work id in the next slot and returns the slot's number; [#take()] marks the slot as used.
    public int prepare(long workId) {
        long next = taken;
        ID.setRelease(workIds, (int) next & (workIds.length - 1), workId);
        return (int) next;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the queue's lock is held
    public void take() {
        taken++;
    }

    /// Gives back the `count` most recently taken slots, whose requests were not posted.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the queue's lock is held
    public void giveBack(int count) {
        taken -= count;
    }

    /// Frees all slots up to and including this one.
    ///
    /// @param number the result of [#prepare], as returned with a completion
    /// @return the work id
    public long free(int number) {
        long done = freed;
        long slot = done + ((number - done) & NUMBER_MASK);
        long workId = (long) ID.getAcquire(workIds, (int) slot & (workIds.length - 1));
        freed = slot + 1;
        return workId;
    }

    /// Frees all slots; their requests never complete.
    public void clear() {
        freed = taken;
    }
}
