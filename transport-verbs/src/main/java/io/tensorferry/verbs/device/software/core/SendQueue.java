package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;

/// A ring of send work requests. A slot becomes free when the application polls the completion of its request or of a
/// later signalled request. An application that never polls fills the ring.
///
/// Threading: posters hold this object's monitor; the loop reads published requests; pollers free slots.
final class SendQueue {
    private final int depth;
    private final SendSlot[] slots;
    private volatile long posted;
    private volatile long freed;

    SendQueue(int depth) {
        this.depth = depth;
        this.slots = new SendSlot[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = new SendSlot();
        }
    }

    /// @throws VerbsException ENOMEM if the queue is full
    synchronized void add(SendWorkRequest request) {
        long index = posted;
        if (index - freed >= depth) {
            throw new VerbsException("ibv_post_send", VerbsException.ENOMEM, "the send queue of " + depth + " is full");
        }
        slot(index).set(request);
        posted = index + 1;
    }

    SendSlot slot(long index) {
        return slots[(int) (index % depth)];
    }

    /// The total number of posted requests.
    long posted() {
        return posted;
    }

    /// Frees the slots up to request `index`, whose completion was polled.
    void free(long index) {
        if (index >= freed) {
            freed = index + 1;
        }
    }

    /// Discards all requests.
    synchronized void clear() {
        freed = posted;
    }
}
