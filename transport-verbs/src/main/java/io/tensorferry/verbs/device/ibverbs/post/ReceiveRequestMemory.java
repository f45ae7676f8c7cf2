package io.tensorferry.verbs.device.ibverbs.post;

import io.tensorferry.bindings.ibverbs.ibv_recv_wr;
import io.tensorferry.bindings.ibverbs.ibv_sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An `ibv_recv_wr` with one `ibv_sge`, allocated once and reused for each request.
///
/// Owner: the holder of the receive queue's lock.
public final class ReceiveRequestMemory {
    private final MemorySegment request;
    private final MemorySegment piece;
    private final MemorySegment pointer;

    public ReceiveRequestMemory(Arena arena) {
        request = ibv_recv_wr.allocate(arena);
        piece = ibv_sge.allocate(arena);
        pointer = MemorySegment.ofAddress(request.address());
        ibv_recv_wr.sg_list(request, piece);
    }

    /// @return the address of the `ibv_recv_wr`
    public MemorySegment fill(long tag, long address, long length, int localKey) {
        ibv_recv_wr.wr_id(request, tag);
        ibv_recv_wr.num_sge(request, length == 0 ? 0 : 1);
        ibv_sge.addr(piece, address);
        ibv_sge.length(piece, (int) length);
        ibv_sge.lkey(piece, localKey);
        return pointer;
    }
}
