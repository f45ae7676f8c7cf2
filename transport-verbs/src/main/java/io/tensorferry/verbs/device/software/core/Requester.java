package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// Executes the send queue of one queue pair: passes its requests to the link in order, and completes them in order as
/// answers arrive.
///
/// Three counters divide the queue: `completed <= sent <= posted`. A request that is invalid on this side (key, bounds,
/// length) stops the queue. It fails after everything before it is answered, so that completions keep their order. Bind
/// and invalidate requests execute locally in queue order, without a message or sequence number, and complete in order.
///
/// Threading: on the loop only.
public final class Requester {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;

    private final SoftwareQueuePair queuePair;
    private final SendQueue queue;
    private final SoftwareCompletionQueue completions;
    private long completed;
    private long sent;
    /// The number of requests that were sent to the peer and have not completed.
    private long travelling;
    /// The sequence number of the next request to the peer.
    private int nextSequence;
    private int readsOutstanding;
    /// The reason why request number `sent` cannot be executed; null if there is none.
    private @Nullable WorkStatus localError;

    Requester(SoftwareQueuePair queuePair, SendQueue queue, SoftwareCompletionQueue completions) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.completions = completions;
    }

    /// Called when the queue pair reaches RTS.
    ///
    /// @param sequence the sequence number of the first request
    void start(int sequence) {
        nextSequence = sequence;
    }

    /// The sequence number of the next request to be sent. A link puts it into its hello.
    public int nextSequence() {
        return nextSequence;
    }

    /// The sequence number of the oldest unanswered request to the peer, plus `behind`.
    private int outstandingSequence(long behind) {
        return (int) (nextSequence - travelling + behind) & SEQUENCE_MASK;
    }

    /// Whether any request waits to be sent or answered.
    public boolean hasOutstanding() {
        return completed < queue.posted();
    }

    /// The next request for the link to send, already checked on this side; null if no request may be sent. The queue
    /// pair may fail in this call.
    public @Nullable SendSlot next() {
        SendSlot slot;
        do {
            executeLocal();
            if (localError != null || sent == queue.posted()) {
                return null;
            }
            slot = queue.slot(sent);
            // A local request was posted after the call of executeLocal.
        } while (slot.isLocal());
        int maxReads = queuePair.settings().maxReads();
        if (slot.isRead() && maxReads > 0 && readsOutstanding == maxReads) {
            return null;
        }
        WorkStatus status = prepare(slot, maxReads);
        if (status != WorkStatus.SUCCESS) {
            failHere(status);
            return null;
        }
        slot.sequence = nextSequence;
        nextSequence = nextSequence + 1 & SEQUENCE_MASK;
        travelling++;
        if (slot.isRead()) {
            readsOutstanding++;
        }
        sent++;
        return slot;
    }

    /// Executes the window requests at the front of the unsent requests. They need no connection. The queue pair may
    /// fail in this call.
    void executeLocal() {
        while (localError == null && sent < queue.posted()) {
            SendSlot slot = queue.slot(sent);
            SoftwareMemoryWindow window = slot.window;
            if (window == null) {
                return;
            }
            WorkStatus status = slot.opcode == SendWorkRequest.Opcode.BIND_MW
                    ? window.bind(queuePair, slot)
                    : window.invalidate(queuePair);
            if (status == WorkStatus.SUCCESS) {
                sent++;
                completeLocal();
            } else {
                failHere(status);
            }
        }
    }

    private void failHere(WorkStatus status) {
        localError = status;
        failIfAllBeforeIsAnswered();
    }

    /// Completes the local requests that have no incomplete request before them.
    private void completeLocal() {
        while (completed < sent && queue.slot(completed).isLocal()) {
            complete();
        }
    }

    private void complete() {
        SendSlot slot = queue.slot(completed);
        if (!slot.isLocal()) {
            travelling--;
        }
        if (slot.signaled) {
            completions.addSend(queuePair, completed, slot, WorkStatus.SUCCESS);
        }
        slot.release();
        completed++;
    }

    private WorkStatus prepare(SendSlot slot, int maxReads) {
        slot.region = null;
        if (slot.length > queuePair.device().maxMessageBytes()) {
            return WorkStatus.LOC_LEN_ERR;
        }
        if (slot.isRead() && maxReads == 0) {
            return WorkStatus.LOC_QP_OP_ERR;
        }
        if (slot.length == 0) {
            return WorkStatus.SUCCESS;
        }
        AccessFlag needed = slot.isRead() ? AccessFlag.LOCAL_WRITE : null;
        slot.region = queuePair
                .device()
                .keys()
                .find(slot.localKey, queuePair.domain(), slot.localAddress, slot.length, needed);
        return slot.region == null ? WorkStatus.LOC_PROT_ERR : WorkStatus.SUCCESS;
    }

    /// Records that the peer has executed all requests up to and including `sequence`.
    ///
    /// @return false if the acknowledgement is invalid: the number was never sent, or a READ before it has no data yet
    public boolean acknowledge(int sequence) {
        long count = distance(sequence) + 1L;
        if (count > travelling || skipsRead(count)) {
            return false;
        }
        for (long left = travelling - count; travelling > left; ) {
            complete();
        }
        completeLocal();
        failIfAllBeforeIsAnswered();
        return true;
    }

    /// Finds the READ that the data with number `sequence` answer, and acknowledges the requests before it. The link
    /// writes the data into the READ's region and then acknowledges the READ.
    ///
    /// @return null if the answer is invalid: the request is no READ, or the data of another READ are due first
    public @Nullable SendSlot answeredRead(int sequence, long length) {
        long before = distance(sequence);
        if (before >= travelling || skipsRead(before)) {
            return null;
        }
        SendSlot slot = travelled(before);
        if (!slot.awaitsData || slot.length != length) {
            return null;
        }
        slot.awaitsData = false;
        readsOutstanding--;
        if (before > 0 && !acknowledge(outstandingSequence(before - 1))) {
            return null;
        }
        return slot;
    }

    /// Records that the peer has executed the requests before `sequence` and refused request `sequence`. The queue pair
    /// fails.
    ///
    /// @return false if the refusal is invalid
    public boolean refuse(int sequence, WorkStatus status) {
        long before = distance(sequence);
        if (before >= travelling || skipsRead(before)) {
            return false;
        }
        if (before > 0) {
            acknowledge(outstandingSequence(before - 1));
        }
        queuePair.failRequester(status);
        return true;
    }

    /// Handles the loss of the peer. Fails the queue pair if a request is outstanding; an idle queue pair fails at its
    /// next request.
    public void lost() {
        if (hasOutstanding()) {
            queuePair.failRequester(WorkStatus.RETRY_EXC_ERR);
        }
    }

    /// Fails the queue pair because the application ended access to the memory of a request in flight.
    public void failLocally() {
        queuePair.failRequester(WorkStatus.LOC_PROT_ERR);
    }

    /// The distance of `sequence` from the oldest outstanding request.
    private long distance(int sequence) {
        return (long) sequence - outstandingSequence(0) & SEQUENCE_MASK;
    }

    /// The slot of outstanding request number `behind` to the peer, 0 for the oldest.
    private SendSlot travelled(long behind) {
        long index = completed;
        for (long left = behind; left > 0 || queue.slot(index).isLocal(); index++) {
            if (!queue.slot(index).isLocal()) {
                left--;
            }
        }
        return queue.slot(index);
    }

    private boolean skipsRead(long count) {
        long left = count;
        for (long i = completed; readsOutstanding > 0 && left > 0; i++) {
            SendSlot slot = queue.slot(i);
            if (slot.awaitsData) {
                return true;
            }
            if (!slot.isLocal()) {
                left--;
            }
        }
        return false;
    }

    private void failIfAllBeforeIsAnswered() {
        WorkStatus error = localError;
        if (error != null && completed == sent) {
            queuePair.failRequester(error);
        }
    }

    /// Completes the oldest outstanding request with an error. The queue pair is in ERR already.
    void completeWithError(WorkStatus status) {
        if (hasOutstanding()) {
            SendSlot slot = queue.slot(completed);
            completions.addSend(queuePair, completed, slot, status);
            slot.release();
            completed++;
            sent = Math.max(sent, completed);
        }
    }

    /// Completes all posted requests with WR_FLUSH_ERR, in order.
    void flush() {
        while (hasOutstanding()) {
            completeWithError(WorkStatus.WR_FLUSH_ERR);
        }
    }

    /// Discards all posted requests.
    void reset() {
        queue.clear();
        completed = queue.posted();
        sent = completed;
        travelling = 0;
        readsOutstanding = 0;
        localError = null;
    }
}
