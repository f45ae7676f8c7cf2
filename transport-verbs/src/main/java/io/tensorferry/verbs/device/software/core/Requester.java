package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// Executes the send queue of one queue pair: hands its requests to the link in order, and completes them, in
/// order, as answers come.
///
/// Three counts divide the queue: `completed <= sent <= posted`. A request that is wrong on this side (key, bounds,
/// length) stops the queue, and fails once everything before it is answered, so that completions keep their order.
///
/// Threading: on the loop only.
public final class Requester {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;

    private final SoftwareQueuePair queuePair;
    private final SendQueue queue;
    private final SoftwareCompletionQueue completions;
    private long completed;
    private long sent;
    /// Sequence number minus index; constant while connected.
    private long sequenceOffset;
    private int readsOutstanding;
    /// Why request number `sent` cannot be executed; null while nothing is wrong.
    private @Nullable WorkStatus localError;

    Requester(SoftwareQueuePair queuePair, SendQueue queue, SoftwareCompletionQueue completions) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.completions = completions;
    }

    /// The queue pair came to RTS; the next request has this sequence number.
    void start(int sequence) {
        sequenceOffset = sequence - sent;
    }

    /// The sequence number that the next request to be sent will have: what a link says when it introduces itself.
    public int nextSequence() {
        return sequenceOf(sent);
    }

    private int sequenceOf(long index) {
        return (int) (index + sequenceOffset) & SEQUENCE_MASK;
    }

    /// Whether requests wait to be sent or answered.
    public boolean hasOutstanding() {
        return completed < queue.posted();
    }

    /// The next request for the link to send, already checked on this side; null while there is none that may be
    /// sent. The queue pair may fail in this call.
    public @Nullable SendSlot next() {
        if (localError != null || sent == queue.posted()) {
            return null;
        }
        SendSlot slot = queue.slot(sent);
        int maxReads = queuePair.settings().maxReads();
        if (slot.isRead() && maxReads > 0 && readsOutstanding == maxReads) {
            return null;
        }
        WorkStatus status = prepare(slot, maxReads);
        if (status != WorkStatus.SUCCESS) {
            localError = status;
            failIfAllBeforeIsAnswered();
            return null;
        }
        slot.sequence = sequenceOf(sent);
        if (slot.isRead()) {
            readsOutstanding++;
        }
        sent++;
        return slot;
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

    /// The peer has executed all requests up to and including `sequence`.
    ///
    /// @return false if that makes no sense: the number was never sent, or it skips a READ whose data have not come
    public boolean acknowledge(int sequence) {
        long count = distance(sequence) + 1L;
        if (count > sent - completed || skipsRead(count)) {
            return false;
        }
        for (long i = 0; i < count; i++) {
            SendSlot slot = queue.slot(completed);
            if (slot.signaled) {
                completions.addSend(queuePair, completed, slot, WorkStatus.SUCCESS);
            }
            slot.region = null;
            completed++;
        }
        failIfAllBeforeIsAnswered();
        return true;
    }

    /// The READ that the data numbered `sequence` answer; requests before it are acknowledged by this. The link
    /// puts the data into its region and then acknowledges it.
    ///
    /// @return null if that makes no sense: no READ, or other data must come first
    public @Nullable SendSlot answeredRead(int sequence, long length) {
        long before = distance(sequence);
        if (before >= sent - completed || skipsRead(before)) {
            return null;
        }
        SendSlot slot = queue.slot(completed + before);
        if (!slot.awaitsData || slot.length != length) {
            return null;
        }
        slot.awaitsData = false;
        readsOutstanding--;
        if (before > 0 && !acknowledge(sequenceOf(completed + before - 1))) {
            return null;
        }
        return slot;
    }

    /// The peer has executed the requests before `sequence` and refuses this one: the queue pair fails.
    ///
    /// @return false if that makes no sense
    public boolean refuse(int sequence, WorkStatus status) {
        long before = distance(sequence);
        if (before >= sent - completed || skipsRead(before)) {
            return false;
        }
        if (before > 0) {
            acknowledge(sequenceOf(completed + before - 1));
        }
        queuePair.failRequester(status);
        return true;
    }

    /// The peer answers no more. Fails the queue pair if a request is outstanding; an idle one notices at its next
    /// request.
    public void lost() {
        if (hasOutstanding()) {
            queuePair.failRequester(WorkStatus.RETRY_EXC_ERR);
        }
    }

    /// The memory of a request on its way went away: a mistake of the application.
    public void failLocally() {
        queuePair.failRequester(WorkStatus.LOC_PROT_ERR);
    }

    /// How far `sequence` is behind the oldest outstanding request.
    private long distance(int sequence) {
        return (long) sequence - sequenceOf(completed) & SEQUENCE_MASK;
    }

    private boolean skipsRead(long count) {
        for (long i = completed; readsOutstanding > 0 && i < completed + count; i++) {
            if (queue.slot(i).awaitsData) {
                return true;
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
            slot.region = null;
            completed++;
            sent = Math.max(sent, completed);
        }
    }

    /// Completes everything that was posted with WR_FLUSH_ERR, in order.
    void flush() {
        while (hasOutstanding()) {
            completeWithError(WorkStatus.WR_FLUSH_ERR);
        }
    }

    /// Forgets everything that was posted.
    void reset() {
        queue.clear();
        completed = queue.posted();
        sent = completed;
        readsOutstanding = 0;
        localError = null;
    }
}
