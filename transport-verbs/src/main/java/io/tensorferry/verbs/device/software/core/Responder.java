package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// Answers the requests of one queue pair's peer, one after the other: what a peer may do here, and what it uses
/// up.
///
/// | state of a request | call | verdict: next state, what the link does |
/// |---|---|---|
/// | arrived | [#admit] | ADMITTED: moving, moves the payload between [#memory] and the peer |
/// | arrived | [#admit] | REFUSED: tells the peer [#refusal], then calls [#refuse] |
/// | moving | [#finish], the payload is in place | EXECUTED: answers the peer |
/// | moving | [#revoke], the memory went away | REFUSED |
/// | arrived, moving | [#admit], [#finish] | NOT_READY, no receive is posted: held, calls [#awaitReceive] |
/// | held | [#retry], a receive was posted or the wait is over | that of the call that was not ready |
///
/// Threading: on the loop only, but for [#isWaiting()].
public final class Responder {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;

    /// What becomes of a request.
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
    /// Whether the request that is held has its payload in place.
    private boolean payloadInPlace;
    /// Tells the timer of one wait from that of another.
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

    /// The queue pair came to RTR.
    void start(int sequence) {
        expected = sequence;
        established = false;
    }

    void reset() {
        queue.clear();
        endWait();
        hasPayload = false;
    }

    /// The sequence number of the next request that may come.
    public int expectedSequence() {
        return expected;
    }

    /// Where the payload of the admitted request goes, or comes from for a READ; null for one without bytes.
    public @Nullable PayloadMemory memory() {
        return hasPayload ? access : null;
    }

    public long address() {
        return address;
    }

    /// What the peer is told.
    public WorkStatus refusal() {
        return refusal;
    }

    /// Whether a request waits for a receive to be posted. Any thread.
    boolean isWaiting() {
        return waiting;
    }

    /// Checks a request whose payload has not been moved yet.
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
            case BIND_MW, LOCAL_INV -> throw new IllegalStateException(request.opcode + " does not travel");
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
            // A poster looks at the flag after it posted, and this looks at the queue after it set the flag: one of
            // them sees the other.
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

    /// Executes the rest of a request whose payload is in place, or that has none.
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

    /// Tries again what was not ready.
    public Verdict retry(Request request) {
        waits++;
        return payloadInPlace ? finish(request) : admit(request);
    }

    /// Has `again` run when the peer would try again, unless [#retry] was called by then.
    ///
    /// @param rnrRetry how often the peer tries
    /// @return false if it would not try any more: the request is refused
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

    /// How long the peer waits before it tries again; negative if it has tried `rnrRetry` times, and then the
    /// request is refused.
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

    /// The memory of a request went away while its payload came.
    ///
    /// @return REFUSED
    public Verdict revoke(Request request) {
        return refused(request.isSend() ? WorkStatus.REM_OP_ERR : WorkStatus.REM_ACCESS_ERR);
    }

    /// Carries out what a refusal means on this side. The peer has been told, or will be.
    public void refuse(Request request) {
        SoftwareDevice device = queuePair.device();
        switch (refusal) {
            case RNR_RETRY_EXC_ERR -> {
                // The requester's failure alone.
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

    /// The receive that this request would take completes with `status` instead, and the queue pair goes to ERR.
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
