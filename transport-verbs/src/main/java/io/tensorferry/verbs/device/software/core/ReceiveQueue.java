package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.VerbsException;

/// A ring of posted receives. A slot becomes free when its completion is polled.
///
/// Threading: posters hold this object's monitor; the loop reads and consumes published receives; pollers free slots.
final class ReceiveQueue {
    private final int depth;
    private final long[] workIds;
    private final long[] addresses;
    private final long[] lengths;
    private final int[] localKeys;
    private volatile long posted;
    private volatile long freed;
    /// The oldest unconsumed receive. Owned by the loop.
    private long head;

    ReceiveQueue(int depth) {
        this.depth = depth;
        workIds = new long[depth];
        addresses = new long[depth];
        lengths = new long[depth];
        localKeys = new int[depth];
    }

    /// @throws VerbsException ENOMEM if the queue is full
    synchronized void add(long workId, long address, long length, int localKey) {
        long index = posted;
        if (index - freed >= depth) {
            throw new VerbsException(
                    "ibv_post_recv", VerbsException.ENOMEM, "the receive queue of " + depth + " is full");
        }
        int slot = (int) (index % depth);
        workIds[slot] = workId;
        addresses[slot] = address;
        lengths[slot] = length;
        localKeys[slot] = localKey;
        posted = index + 1;
    }

    boolean isEmpty() {
        return head == posted;
    }

    /// The number of the oldest unconsumed receive, counted from the queue pair's first receive.
    long head() {
        return head;
    }

    long workId() {
        return workIds[(int) (head % depth)];
    }

    long address() {
        return addresses[(int) (head % depth)];
    }

    long length() {
        return lengths[(int) (head % depth)];
    }

    int localKey() {
        return localKeys[(int) (head % depth)];
    }

    /// Consumes the oldest receive.
    void consume() {
        head++;
    }

    /// Frees the slot of receive `index`, whose completion was polled.
    void free(long index) {
        if (index >= freed) {
            freed = index + 1;
        }
    }

    /// Discards all receives.
    synchronized void clear() {
        head = posted;
        freed = posted;
    }
}
