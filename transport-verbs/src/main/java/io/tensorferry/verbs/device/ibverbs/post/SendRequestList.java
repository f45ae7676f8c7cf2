package io.tensorferry.verbs.device.ibverbs.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The prepared requests that are not yet posted: a linked list of `ibv_send_wr`, which `ibv_post_send` accepts in one
/// call.
///
/// Owner: the holder of the send queue's lock.
public final class SendRequestList {
    /// Longer lists bring no further gain, and delay the device's start.
    private static final int LONGEST = 32;

    private final SendRequestMemory[] requests;
    private int size;

    /// @param depth capacity of the send queue in requests
    public SendRequestList(Arena arena, int depth) {
        requests = new SendRequestMemory[Math.min(LONGEST, depth)];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new SendRequestMemory(arena);
        }
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean isFull() {
        return size == requests.length;
    }

    /// Appends a request to the list, to be filled.
    public SendRequestMemory next() {
        SendRequestMemory next = requests[size];
        next.follow(MemorySegment.NULL);
        if (size > 0) {
            requests[size - 1].follow(next.pointer());
        }
        size++;
        return next;
    }

    /// The head of the list, for the driver.
    public MemorySegment first() {
        return requests[0].pointer();
    }

    /// The number of requests that the driver did not accept, given the first rejected one.
    public int countFrom(MemorySegment refused) {
        for (int i = 0; i < size; i++) {
            if (requests[i].pointer().address() == refused.address()) {
                return size - i;
            }
        }
        throw new IllegalStateException("the driver refused a request that is not in the list");
    }

    public void clear() {
        size = 0;
    }
}
