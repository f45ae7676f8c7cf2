package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import org.jspecify.annotations.Nullable;

/// Pools ended responses for reuse, so that a request allocates none.
///
/// Only responses that ended with the completion of their write return: no table, worker or channel can refer to them
/// any more. Other responses are left to the garbage collector.
///
/// Owner: the loop.
final class ResponsePool {
    /// Many times the number of requests that arrive in one turn of the loop; about 1 MiB at most.
    private static final int MOST = 4096;

    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final SourcePreparation sources;
    private final @Nullable TensorResponse[] idle = new @Nullable TensorResponse[MOST];
    private int count;

    ResponsePool(TransferContext context, StepTable<RdmaRendezvous> steps, SourcePreparation sources) {
        this.context = context;
        this.steps = steps;
        this.sources = sources;
    }

    /// Returns an unused response.
    TensorResponse take() {
        if (count > 0) {
            TensorResponse taken = idle[--count];
            idle[count] = null;
            if (taken != null) {
                return taken;
            }
        }
        return new TensorResponse(context, steps, sources, this);
    }

    /// @param ended a response without references to it
    void give(TensorResponse ended) {
        if (count < MOST) {
            idle[count++] = ended;
        }
    }
}
