package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The live requests by [RequestIndex].
///
/// An index belongs to one live request at a time, however long the process runs. The slot of an ended request is
/// reused as late as possible: the slot that has been free for longest is taken first, and none is reused before
/// [#ROTATION] slots were taken. An index therefore repeats only after millions of requests, and a late message or
/// write for an earlier request finds nothing.
///
/// Threading: any thread; every method takes the table's lock for a few instructions.
public final class RequestTable<R> {
    /// The number of slots taken before the first is reused; a compromise between memory (10 bytes each) and the
    /// distance between two uses of one index.
    static final int ROTATION = 1 << 14;

    private static final int NONE = -1;

    private final int capacity;
    private final int rotation;
    private final ArrayList<@Nullable R> requests = new ArrayList<>();
    // The generation of each slot's live or next request.
    private short[] generations = new short[16];
    // The free slots as a linked list, longest free first: the slot that follows each free slot.
    private int[] nextFree = new int[16];
    private int firstFree = NONE;
    private int lastFree = NONE;
    private int size;

    /// Creates a table for as many requests as an index can name, 2^20.
    public RequestTable() {
        this(RequestIndex.SLOTS);
    }

    /// @param capacity the number of requests that may be live at once, 1 to 2^20
    public RequestTable(int capacity) {
        if (capacity < 1 || capacity > RequestIndex.SLOTS) {
            throw new IllegalArgumentException("capacity " + capacity + " must be in [1, " + RequestIndex.SLOTS + "]");
        }
        this.capacity = capacity;
        this.rotation = Math.min(ROTATION, capacity);
    }

    /// @return the index of `request` until it is removed
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the table is full
    public synchronized int add(R request) {
        int slot = requests.size() < rotation || firstFree == NONE ? newSlot() : takeFreeSlot();
        requests.set(slot, request);
        size++;
        return RequestIndex.of(slot, generations[slot]);
    }

    /// Returns the live request with exactly this index; null if the index was never assigned, has been removed, or is
    /// an arbitrary number of a peer.
    public synchronized @Nullable R get(int index) {
        int slot = RequestIndex.slot(index);
        return slot < requests.size() && generations[slot] == RequestIndex.generation(index)
                ? requests.get(slot)
                : null;
    }

    /// Removes and returns the request that [#get] finds. Of several concurrent callers only one gets it.
    public synchronized @Nullable R remove(int index) {
        R request = get(index);
        if (request != null) {
            release(RequestIndex.slot(index));
        }
        return request;
    }

    /// Returns the live requests, ordered by slot.
    public synchronized List<R> all() {
        var live = new ArrayList<R>(size);
        for (R request : requests) {
            if (request != null) {
                live.add(request);
            }
        }
        return live;
    }

    /// Returns the number of live requests.
    public synchronized int size() {
        return size;
    }

    private int newSlot() {
        int slot = requests.size();
        if (slot == capacity) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED, "all " + capacity + " request indexes are in use");
        }
        if (slot == nextFree.length) {
            int length = Math.min(2 * slot, RequestIndex.SLOTS);
            generations = Arrays.copyOf(generations, length);
            nextFree = Arrays.copyOf(nextFree, length);
        }
        requests.add(null);
        return slot;
    }

    private int takeFreeSlot() {
        int slot = firstFree;
        firstFree = nextFree[slot];
        if (firstFree == NONE) {
            lastFree = NONE;
        }
        return slot;
    }

    private void release(int slot) {
        requests.set(slot, null);
        generations[slot] = (short) ((generations[slot] + 1) % RequestIndex.GENERATIONS);
        nextFree[slot] = NONE;
        if (lastFree == NONE) {
            firstFree = slot;
        } else {
            nextFree[lastFree] = slot;
        }
        lastFree = slot;
        size--;
    }
}
