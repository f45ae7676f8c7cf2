package io.tensorferry.verbs.device.ibverbs.post;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_mw_bind_info;
import io.tensorferry.bindings.ibverbs.ibv_send_wr;
import io.tensorferry.bindings.ibverbs.ibv_sge;
import io.tensorferry.verbs.device.SendWorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An `ibv_send_wr` with one `ibv_sge` or a memory window, allocated once and reused for each request; an element of a
/// [SendRequestList].
///
/// Owner: the holder of the send queue's lock.
public final class SendRequestMemory {
    private static final int SIGNALED = Ibverbs.IBV_SEND_SIGNALED();
    private static final int SOLICITED = Ibverbs.IBV_SEND_SOLICITED();
    private static final int INLINE = Ibverbs.IBV_SEND_INLINE();
    private static final int WRITE = Ibverbs.IBV_WR_RDMA_WRITE();
    private static final int WRITE_WITH_IMM = Ibverbs.IBV_WR_RDMA_WRITE_WITH_IMM();
    private static final int READ = Ibverbs.IBV_WR_RDMA_READ();
    private static final int SEND = Ibverbs.IBV_WR_SEND();
    private static final int SEND_WITH_IMM = Ibverbs.IBV_WR_SEND_WITH_IMM();
    private static final int BIND_MW = Ibverbs.IBV_WR_BIND_MW();
    private static final int LOCAL_INV = Ibverbs.IBV_WR_LOCAL_INV();

    private final MemorySegment request;
    private final MemorySegment rdma;
    private final MemorySegment bind;
    private final MemorySegment bindRange;
    private final MemorySegment piece;
    /// The request as a zero-length segment, which is cheaper to pass to native code than arena memory.
    private final MemorySegment pointer;

    SendRequestMemory(Arena arena) {
        request = ibv_send_wr.allocate(arena);
        rdma = ibv_send_wr.wr.rdma(ibv_send_wr.wr(request));
        bind = ibv_send_wr.bind_mw(request);
        bindRange = ibv_send_wr.bind_mw.bind_info(bind);
        piece = ibv_sge.allocate(arena);
        pointer = MemorySegment.ofAddress(request.address());
        ibv_send_wr.sg_list(request, piece);
    }

    /// The address of the `ibv_send_wr`.
    MemorySegment pointer() {
        return pointer;
    }

    /// Sets the next element of the list; NULL at the end.
    void follow(MemorySegment next) {
        ibv_send_wr.next(request, next);
    }

    public void fill(SendWorkRequest from, long tag) {
        ibv_send_wr.wr_id(request, tag);
        ibv_send_wr.opcode(request, opcode(from.opcode));
        ibv_send_wr.send_flags(
                request,
                (from.signaled ? SIGNALED : 0) | (from.solicited ? SOLICITED : 0) | (from.inline ? INLINE : 0));
        ibv_send_wr.imm_data(request, NetworkOrder.toInt(from.immediate));
        ibv_send_wr.wr.rdma.remote_addr(rdma, from.remoteAddress);
        ibv_send_wr.wr.rdma.rkey(rdma, from.remoteKey);
        // A zero-length entry would still need a valid lkey.
        ibv_send_wr.num_sge(request, from.length == 0 ? 0 : 1);
        ibv_sge.addr(piece, from.localAddress);
        ibv_sge.length(piece, (int) from.length);
        ibv_sge.lkey(piece, from.localKey);
    }

    /// @param window an `ibv_mw`
    /// @param region the `ibv_mr` that contains the range
    /// @param newKey the window's rkey after the bind
    public void fillBind(SendWorkRequest from, MemorySegment window, MemorySegment region, int newKey, long tag) {
        fillForWindow(from, tag);
        ibv_send_wr.imm_data(request, 0);
        ibv_send_wr.bind_mw.mw(bind, window);
        ibv_send_wr.bind_mw.rkey(bind, newKey);
        ibv_mw_bind_info.mr(bindRange, region);
        ibv_mw_bind_info.addr(bindRange, from.localAddress);
        ibv_mw_bind_info.length(bindRange, from.length);
        ibv_mw_bind_info.mw_access_flags(bindRange, AccessFlags.bits(from.windowAccess));
    }

    public void fillInvalidate(SendWorkRequest from, int key, long tag) {
        fillForWindow(from, tag);
        ibv_send_wr.invalidate_rkey(request, key);
    }

    private void fillForWindow(SendWorkRequest from, long tag) {
        ibv_send_wr.wr_id(request, tag);
        ibv_send_wr.opcode(request, opcode(from.opcode));
        ibv_send_wr.send_flags(request, from.signaled ? SIGNALED : 0);
        ibv_send_wr.num_sge(request, 0);
    }

    private static int opcode(SendWorkRequest.Opcode opcode) {
        return switch (opcode) {
            case RDMA_WRITE -> WRITE;
            case RDMA_WRITE_WITH_IMM -> WRITE_WITH_IMM;
            case RDMA_READ -> READ;
            case SEND -> SEND;
            case SEND_WITH_IMM -> SEND_WITH_IMM;
            case BIND_MW -> BIND_MW;
            case LOCAL_INV -> LOCAL_INV;
        };
    }
}
