package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;

/// The local memory that each request of a send queue names, for the day that one fails.
///
/// A request whose local memory is not registered must complete with [WorkStatus#LOC_PROT_ERR]. Soft-RoCE puts the
/// queue pair into ERR and then reports that request as flushed, like those behind it, which tells a user nothing.
/// So where the first failure of a queue pair is a flush that nobody asked for, its memory is looked up here.
///
/// Threading: recorded by whoever holds the send queue's lock, read by the poller.
final class PostedRanges {
    private final long[] addresses;
    private final long[] lengths;
    private final int[] keys;

    /// @param slots a power of two, at least the queue's depth
    PostedRanges(int slots) {
        addresses = new long[slots];
        lengths = new long[slots];
        keys = new int[slots];
    }

    void record(int slot, SendWorkRequest request) {
        int index = slot & (keys.length - 1);
        addresses[index] = request.localAddress;
        // What is inline was read when it was posted, and what is for a window reads nothing.
        lengths[index] = request.inline || request.isForWindow() ? 0 : request.length;
        keys[index] = request.localKey;
    }

    /// What is wrong with the local memory of a request, or that it was flushed if nothing is.
    WorkStatus explainFlush(int slot, IbverbsProtectionDomain domain) {
        int index = slot & (keys.length - 1);
        return lengths[index] == 0 || domain.covers(keys[index], addresses[index], lengths[index])
                ? WorkStatus.WR_FLUSH_ERR
                : WorkStatus.LOC_PROT_ERR;
    }
}
