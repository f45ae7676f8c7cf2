package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import org.jspecify.annotations.Nullable;

/// A completion in a completion queue, and the cursor that a poller sees. Mutable and reused. The queue's lock guards
/// each entry; the poller owns the cursor.
final class CompletionEntry implements WorkCompletion {
    /// The queue pair whose slot becomes free when the application polls this completion.
    @Nullable
    SoftwareQueuePair queuePair;

    boolean ofSendQueue;
    /// The slot's number, counted from the queue pair's first work request.
    long index;

    private long workId;
    private WorkStatus status = WorkStatus.SUCCESS;
    private Opcode opcode = Opcode.SEND;
    private long byteLength;
    private boolean hasImmediate;
    private int immediate;
    private int queuePairNumber;

    void setSend(SoftwareQueuePair owner, long slotIndex, SendSlot slot, WorkStatus outcome) {
        set(owner, true, slotIndex, slot.workId, outcome);
        opcode = switch (slot.opcode) {
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> Opcode.RDMA_WRITE;
            case RDMA_READ -> Opcode.RDMA_READ;
            case SEND, SEND_WITH_IMM -> Opcode.SEND;
            case BIND_MW -> Opcode.BIND_MW;
            case LOCAL_INV -> Opcode.LOCAL_INV;
        };
        byteLength = 0;
        hasImmediate = false;
        immediate = 0;
    }

    /// @param request the peer's request; null for a flush
    void setReceive(
            SoftwareQueuePair owner,
            long slotIndex,
            long receiveWorkId,
            WorkStatus outcome,
            @Nullable Request request) {
        set(owner, false, slotIndex, receiveWorkId, outcome);
        opcode = request == null || request.isSend() ? Opcode.RECEIVE : Opcode.RECEIVE_RDMA_WITH_IMM;
        byteLength = 0;
        hasImmediate = false;
        immediate = 0;
        if (request != null && outcome == WorkStatus.SUCCESS) {
            byteLength = request.length;
            hasImmediate = request.hasImmediate();
            immediate = hasImmediate ? request.immediate : 0;
        }
    }

    private void set(SoftwareQueuePair owner, boolean send, long slotIndex, long newWorkId, WorkStatus outcome) {
        queuePair = owner;
        queuePairNumber = owner.number();
        ofSendQueue = send;
        index = slotIndex;
        workId = newWorkId;
        status = outcome;
    }

    void copyFrom(CompletionEntry other) {
        queuePair = other.queuePair;
        queuePairNumber = other.queuePairNumber;
        ofSendQueue = other.ofSendQueue;
        index = other.index;
        workId = other.workId;
        status = other.status;
        opcode = other.opcode;
        byteLength = other.byteLength;
        hasImmediate = other.hasImmediate;
        immediate = other.immediate;
    }

    @Override
    public long workId() {
        return workId;
    }

    @Override
    public WorkStatus status() {
        return status;
    }

    @Override
    public Opcode opcode() {
        return opcode;
    }

    @Override
    public long byteLength() {
        return byteLength;
    }

    @Override
    public boolean hasImmediate() {
        return hasImmediate;
    }

    @Override
    public int immediate() {
        return immediate;
    }

    @Override
    public int queuePairNumber() {
        return queuePairNumber;
    }
}
