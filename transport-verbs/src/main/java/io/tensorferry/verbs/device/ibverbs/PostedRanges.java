package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;

/// Records the local memory of each request on a send queue, to explain failures.
///
/// A request whose local memory is not registered must complete with [WorkStatus#LOC_PROT_ERR]. Soft-RoCE instead
/// changes the queue pair to ERR and reports that request as flushed, like those after it. If the first failure of a
/// queue pair is an unrequested flush, its memory is therefore checked here.
///
/// Threading: written under the send queue's lock, read by the poller.
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
        // Inline bytes were read when the request was posted, and a window request reads no memory.
        lengths[index] = request.inline || request.isForWindow() ? 0 : request.length;
        keys[index] = request.localKey;
    }

    /// Returns the error of the request's local memory, or the flush status if there is none.
    WorkStatus explainFlush(int slot, IbverbsProtectionDomain domain) {
        int index = slot & (keys.length - 1);
        return lengths[index] == 0 || domain.covers(keys[index], addresses[index], lengths[index])
                ? WorkStatus.WR_FLUSH_ERR
                : WorkStatus.LOC_PROT_ERR;
    }
}
