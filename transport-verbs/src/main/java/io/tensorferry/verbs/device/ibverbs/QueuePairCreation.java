package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_qp_cap;
import io.tensorferry.bindings.ibverbs.ibv_qp_init_attr;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;

/// Creates an `ibv_qp` of type RC.
final class QueuePairCreation {
    private QueuePairCreation() {}

    /// @return an `ibv_qp_init_attr`
    static MemorySegment wishes(NativeCall call, QueuePairParents parents, QueuePairOptions options) {
        MemorySegment wishes = ibv_qp_init_attr.allocate(call);
        ibv_qp_init_attr.qp_type(wishes, Ibverbs.IBV_QPT_RC());
        ibv_qp_init_attr.send_cq(wishes, parents.sendCompletions().pointer());
        ibv_qp_init_attr.recv_cq(wishes, parents.receiveCompletions().pointer());
        MemorySegment limits = ibv_qp_init_attr.cap(wishes);
        ibv_qp_cap.max_send_wr(limits, options.sendDepth());
        ibv_qp_cap.max_recv_wr(limits, options.receiveDepth());
        ibv_qp_cap.max_send_sge(limits, 1);
        ibv_qp_cap.max_recv_sge(limits, 1);
        return wishes;
    }

    /// Creates the queue pair with decreasing inline sizes, because devices do not report a maximum and reject a size
    /// that is too large.
    static MemorySegment create(NativeCall call, MemorySegment domain, MemorySegment wishes, int inlineBytes) {
        MemorySegment limits = ibv_qp_init_attr.cap(wishes);
        for (int inline = inlineBytes; inline > 0; inline /= 2) {
            ibv_qp_cap.max_inline_data(limits, inline);
            MemorySegment created = ErrnoVerbs.createQp(call, domain, wishes);
            if (created.address() != 0) {
                return created;
            }
            if (call.errno() != VerbsException.EINVAL) {
                break;
            }
        }
        ibv_qp_cap.max_inline_data(limits, 0);
        return VerbsCheck.pointerOrErrno(
                "ibv_create_qp",
                ErrnoVerbs.createQp(call, domain, wishes),
                call,
                () -> "a queue pair of " + ibv_qp_cap.max_send_wr(limits) + " sends and "
                        + ibv_qp_cap.max_recv_wr(limits) + " receives");
    }

    /// The granted inline size.
    static int inlineBytes(MemorySegment wishes) {
        return ibv_qp_cap.max_inline_data(ibv_qp_init_attr.cap(wishes));
    }
}
