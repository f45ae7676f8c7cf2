package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// Executes the requests of one queue pair's peer in order. Checks the peer's permissions and consumes posted receives.
///
/// | state of a request | call | verdict: next state, action of the link |
/// |---|---|---|
/// | arrived | [#admit] | ADMITTED: moving; the link moves the payload between [#memory] and the peer |
/// | arrived | [#admit] | REFUSED: the link sends [#refusal] to the peer, then calls [#refuse] |
/// | moving | [#finish], the payload is in place | EXECUTED: the link answers the peer |
/// | moving | [#revoke], access to the memory ended | REFUSED |
/// | arrived, moving | [#admit], [#finish] | NOT_READY, no receive is posted: held; the link calls [#awaitReceive] |
/// | held | [#retry], a receive was posted or the wait is over | the verdict of the call that was not ready |
///
/// Threading: on the loop only, except [#isWaiting()].
public final class Responder {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;

    /// The outcome of a call.
    public enum Verdict {
        ADMITTED,
        EXECUTED,
        NOT_READY,
        REFUSED
    }

    private final SoftwareQueuePair queuePair;
    private final ReceiveQueue queue;
    private final SoftwareCompletionQueue completions;
    private int expected;
    private boolean established;
    private int rnrRetriesLeft;
    private boolean retriesCounted;
    /// Whether the payload of the held request is in place.
    private boolean payloadInPlace;
    /// Distinguishes the timer of one wait from the timers of others.
    private int waits;
    private volatile boolean waiting;
    private WorkStatus refusal = WorkStatus.SUCCESS;
    private final RemoteAccess access = new RemoteAccess();
    private boolean hasPayload;
    private long address;

    Responder(SoftwareQueuePair queuePair, ReceiveQueue queue, SoftwareCompletionQueue completions) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.completions = completions;
    }

    /// Called when the queue pair reaches RTR.
    void start(int sequence) {
        expected = sequence;
        established = false;
    }

    void reset() {
        queue.clear();
        endWait();
        hasPayload = false;
    }

    /// The sequence number of the next expected request.
    public int expectedSequence() {
        return expected;
    }

    /// The memory that the admitted request writes to, or reads from for a READ; null if the request has no payload.
    public @Nullable PayloadMemory memory() {
        return hasPayload ? access : null;
    }

    public long address() {
        return address;
    }

    /// The status that the link sends to the peer.
    public WorkStatus refusal() {
        return refusal;
    }

    /// Whether a request waits for a posted receive. Any thread.
    boolean isWaiting() {
        return waiting;
    }

    /// Checks a request before its payload moves.
    public Verdict admit(Request request) {
        if (!established) {
            established = true;
            if (queuePair.state() == QueuePairState.RTR) {
                queuePair.device().raise(AsyncEvent.Type.COMM_EST, queuePair.number());
            }
        }
        hasPayload = false;
        payloadInPlace = false;
        if (request.length > queuePair.device().maxMessageBytes()) {
            return refused(WorkStatus.REM_INV_REQ_ERR);
        }
        return switch (request.opcode) {
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM ->
                admitAccess(request, QueuePairAttributes.ACCESS_REMOTE_WRITE, AccessFlag.REMOTE_WRITE);
            case RDMA_READ ->
                queuePair.settings().answersReads()
                        ? admitAccess(request, QueuePairAttributes.ACCESS_REMOTE_READ, AccessFlag.REMOTE_READ)
                        : refused(WorkStatus.REM_INV_REQ_ERR);
            case SEND, SEND_WITH_IMM -> admitSend(request);
            case BIND_MW, LOCAL_INV -> throw new IllegalStateException(request.opcode + " is not sent to the peer");
        };
    }

    private Verdict admitAccess(Request request, int queuePairFlag, AccessFlag regionFlag) {
        if (!queuePair.settings().grants(queuePairFlag)) {
            return refused(WorkStatus.REM_ACCESS_ERR);
        }
        if (request.length > 0) {
            hasPayload = queuePair
                    .device()
                    .keys()
                    .findRemote(
                            request.remoteKey, queuePair, request.remoteAddress, request.length, regionFlag, access);
            address = request.remoteAddress;
            if (!hasPayload) {
                return refused(WorkStatus.REM_ACCESS_ERR);
            }
        }
        return Verdict.ADMITTED;
    }

    private Verdict admitSend(Request request) {
        if (!receiveReady()) {
            return Verdict.NOT_READY;
        }
        if (request.length > queue.length()) {
            return refused(WorkStatus.REM_INV_REQ_ERR);
        }
        if (request.length > 0) {
            SoftwareMemoryRegion region = queuePair
                    .device()
                    .keys()
                    .find(
                            queue.localKey(),
                            queuePair.domain(),
                            queue.address(),
                            request.length,
                            AccessFlag.LOCAL_WRITE);
            address = queue.address();
            if (region == null) {
                return refused(WorkStatus.REM_OP_ERR);
            }
            access.grant(region, null);
            hasPayload = true;
        }
        return Verdict.ADMITTED;
    }

    private boolean receiveReady() {
        if (queue.isEmpty()) {
            // A poster posts and then reads the flag. This thread sets the flag and then reads the queue. At least one
            // of them sees the other.
            waiting = true;
            if (queue.isEmpty()) {
                return false;
            }
        }
        endWait();
        return true;
    }

    private void endWait() {
        waiting = false;
        retriesCounted = false;
    }

    private Verdict refused(WorkStatus status) {
        refusal = status;
        return Verdict.REFUSED;
    }

    /// Executes the rest of a request that has no payload, or whose payload is in place.
    ///
    /// @return EXECUTED or NOT_READY
    public Verdict finish(Request request) {
        payloadInPlace = true;
        if (request.takesReceive()) {
            if (!request.isSend() && !receiveReady()) {
                return Verdict.NOT_READY;
            }
            completions.addReceive(queuePair, queue.head(), queue.workId(), WorkStatus.SUCCESS, request);
            queue.consume();
        }
        hasPayload = false;
        expected = expected + 1 & SEQUENCE_MASK;
        return Verdict.EXECUTED;
    }

    /// Repeats the call that was not ready.
    public Verdict retry(Request request) {
        waits++;
        return payloadInPlace ? finish(request) : admit(request);
    }

    /// Schedules `again` for the time at which the peer would retry. Does nothing at that time if [#retry] was called
    /// earlier.
    ///
    /// @param rnrRetry the number of retries of the peer
    /// @return false if the peer's retries are exhausted: the request is refused
    public boolean awaitReceive(int rnrRetry, Runnable again) {
        if (QueuePairSettings.isForEver(rnrRetry)) {
            return true;
        }
        long delay = notReadyDelayNs(rnrRetry);
        if (delay < 0) {
            return false;
        }
        int wait = ++waits;
        queuePair.device().loop().schedule(delay, () -> {
            if (wait == waits) {
                again.run();
            }
        });
        return true;
    }

    /// The time until the peer retries. Negative if it has retried `rnrRetry` times; the request is then refused.
    public long notReadyDelayNs(int rnrRetry) {
        if (!retriesCounted) {
            retriesCounted = true;
            rnrRetriesLeft = rnrRetry;
        }
        if (!QueuePairSettings.isForEver(rnrRetry) && rnrRetriesLeft-- == 0) {
            refusal = WorkStatus.RNR_RETRY_EXC_ERR;
            endWait();
            return -1;
        }
        return queuePair.settings().rnrDelayNs();
    }

    /// Handles the loss of access to a request's memory while its payload moved.
    ///
    /// @return REFUSED
    public Verdict revoke(Request request) {
        return refused(request.isSend() ? WorkStatus.REM_OP_ERR : WorkStatus.REM_ACCESS_ERR);
    }

    /// Applies the consequences of a refusal on this side. The link sends the refusal to the peer before or after this
    /// call.
    public void refuse(Request request) {
        SoftwareDevice device = queuePair.device();
        switch (refusal) {
            case RNR_RETRY_EXC_ERR -> {
                // Only the requester fails.
            }
            case REM_ACCESS_ERR -> {
                queuePair.enterError();
                device.raise(AsyncEvent.Type.QP_ACCESS_ERR, queuePair.number());
            }
            case REM_OP_ERR -> queuePair.failReceive(request, WorkStatus.LOC_PROT_ERR);
            case REM_INV_REQ_ERR -> {
                if (request.isSend() && !queue.isEmpty()) {
                    queuePair.failReceive(request, WorkStatus.LOC_LEN_ERR);
                } else {
                    queuePair.enterError();
                    device.raise(AsyncEvent.Type.QP_REQ_ERR, queuePair.number());
                }
            }
            default -> throw new IllegalStateException("no refusal: " + refusal);
        }
    }

    /// Completes the receive that this request would consume with `status`, and moves the queue pair to ERR.
    public void failReceive(Request request, WorkStatus status) {
        queuePair.failReceive(request, status);
    }

    /// Completes the oldest receive with an error. The queue pair is in ERR already.
    void completeWithError(@Nullable Request request, WorkStatus status) {
        if (!queue.isEmpty()) {
            completions.addReceive(queuePair, queue.head(), queue.workId(), status, request);
            queue.consume();
        }
    }

    /// Completes every posted receive with WR_FLUSH_ERR, in order.
    void flush() {
        endWait();
        while (!queue.isEmpty()) {
            completeWithError(null, WorkStatus.WR_FLUSH_ERR);
        }
    }
}
