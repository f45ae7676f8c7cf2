package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_wc;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.ibverbs.post.NetworkOrder;
import java.lang.foreign.MemorySegment;

/// A cursor on an `ibv_wc` in the batch of its completion queue, whose fields are read on access.
///
/// Owner: the poller.
final class IbverbsWorkCompletion implements WorkCompletion {
    private static final int WITH_IMMEDIATE = Ibverbs.IBV_WC_WITH_IMM();

    private MemorySegment entry = MemorySegment.NULL;
    private WorkStatus status = WorkStatus.GENERAL_ERR;
    private long workId;
    private int queuePairNumber;
    private boolean receive;

    void set(MemorySegment entry, WorkStatus status, long workId, int queuePairNumber, boolean receive) {
        this.entry = entry;
        this.status = status;
        this.workId = workId;
        this.queuePairNumber = queuePairNumber;
        this.receive = receive;
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
    public int vendorError() {
        return ibv_wc.vendor_err(entry);
    }

    @Override
    public Opcode opcode() {
        int number = ibv_wc.opcode(entry);
        if (receive) {
            return number == Ibverbs.IBV_WC_RECV_RDMA_WITH_IMM() ? Opcode.RECEIVE_RDMA_WITH_IMM : Opcode.RECEIVE;
        }
        if (number == Ibverbs.IBV_WC_RDMA_WRITE()) {
            return Opcode.RDMA_WRITE;
        }
        if (number == Ibverbs.IBV_WC_RDMA_READ()) {
            return Opcode.RDMA_READ;
        }
        if (number == Ibverbs.IBV_WC_BIND_MW()) {
            return Opcode.BIND_MW;
        }
        return number == Ibverbs.IBV_WC_LOCAL_INV() ? Opcode.LOCAL_INV : Opcode.SEND;
    }

    @Override
    public long byteLength() {
        return Integer.toUnsignedLong(ibv_wc.byte_len(entry));
    }

    @Override
    public boolean hasImmediate() {
        // Some drivers set the flag on the sender's completion too.
        return receive && (ibv_wc.wc_flags(entry) & WITH_IMMEDIATE) != 0;
    }

    @Override
    public int immediate() {
        return NetworkOrder.toInt(ibv_wc.imm_data(entry));
    }

    @Override
    public int queuePairNumber() {
        return queuePairNumber;
    }
}
