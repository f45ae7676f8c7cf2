package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// Executes the send queue of one queue pair: hands its requests to the link in order, and completes them, in
/// order, as answers come.
///
/// Three counts divide the queue: `completed <= sent <= posted`. A request that is wrong on this side (key, bounds,
/// length) stops the queue, and fails once everything before it is answered, so that completions keep their order.
/// What is for a window is carried out in its turn, does not travel and has no sequence number; it completes in order.
///
/// Threading: on the loop only.
public final class Requester {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;

    private final SoftwareQueuePair queuePair;
    private final SendQueue queue;
    private final SoftwareCompletionQueue completions;
    private long completed;
    private long sent;
    /// Of those that are sent and not completed, the ones that travelled.
    private long travelling;
    /// The sequence number of the next request that travels.
    private int nextSequence;
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
        nextSequence = sequence;
    }

    /// The sequence number that the next request to be sent will have: what a link says when it introduces itself.
    public int nextSequence() {
        return nextSequence;
    }

    /// The sequence number of the oldest request that travelled and is not answered, plus `behind`.
    private int outstandingSequence(long behind) {
        return (int) (nextSequence - travelling + behind) & SEQUENCE_MASK;
    }

    /// Whether requests wait to be sent or answered.
    public boolean hasOutstanding() {
        return completed < queue.posted();
    }

    /// The next request for the link to send, already checked on this side; null while there is none that may be
    /// sent. The queue pair may fail in this call.
    public @Nullable SendSlot next() {
        SendSlot slot;
        do {
            executeLocal();
            if (localError != null || sent == queue.posted()) {
                return null;
            }
            slot = queue.slot(sent);
            // Posted between the two looks at the queue.
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

    /// Carries out what is for windows and next in turn; that needs no connection. The queue pair may fail in this
    /// call.
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

    /// Completes what did not travel and has nothing before it.
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

    /// The peer has executed all requests up to and including `sequence`.
    ///
    /// @return false if that makes no sense: the number was never sent, or it skips a READ whose data have not come
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

    /// The READ that the data numbered `sequence` answer; requests before it are acknowledged by this. The link
    /// puts the data into its region and then acknowledges it.
    ///
    /// @return null if that makes no sense: no READ, or other data must come first
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

    /// The peer has executed the requests before `sequence` and refuses this one: the queue pair fails.
    ///
    /// @return false if that makes no sense
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
        return (long) sequence - outstandingSequence(0) & SEQUENCE_MASK;
    }

    /// Of those that travelled and are not completed, number `behind`.
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
        travelling = 0;
        readsOutstanding = 0;
        localError = null;
    }
}
