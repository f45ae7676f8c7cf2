package io.tensorferry.verbs.device.ibverbs.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The requests that are prepared and not yet told to the driver: a linked list of `ibv_send_wr`, which `ibv_post_send`
/// takes in one call.
///
/// Owner: whoever holds the send queue's lock.
public final class SendRequestList {
    /// Longer lists bring nothing more, and the device begins the later the longer they are.
    private static final int LONGEST = 32;

    private final SendRequestMemory[] requests;
    private int size;

    /// @param depth how many requests the queue holds
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

    /// One more at the end of the list, to be filled.
    public SendRequestMemory next() {
        SendRequestMemory next = requests[size];
        next.follow(MemorySegment.NULL);
        if (size > 0) {
            requests[size - 1].follow(next.pointer());
        }
        size++;
        return next;
    }

    /// The list, for the driver.
    public MemorySegment first() {
        return requests[0].pointer();
    }

    /// How many the driver has not taken, if it stopped at this one.
    public int countFrom(MemorySegment refused) {
        for (int i = 0; i < size; i++) {
            if (requests[i].pointer().address() == refused.address()) {
                return size - i;
            }
        }
        throw new IllegalStateException("the driver refused a request that it was not given");
    }

    public void clear() {
        size = 0;
    }
}
