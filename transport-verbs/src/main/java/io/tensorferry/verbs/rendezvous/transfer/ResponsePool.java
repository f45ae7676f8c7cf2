package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import org.jspecify.annotations.Nullable;

/// Responses that have ended and wait for another request, so that none is made for each.
///
/// Only those come back that ended with the completion of their write: nothing can refer to one of these any more,
/// neither a table of tensors, nor a worker, nor a channel. Any other is left to the garbage collector.
///
/// Owner: the loop.
final class ResponsePool {
    /// Enough for the requests that arrive in one turn of the loop, many times over; about 1 MiB at most.
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

    /// One that answers nothing yet.
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

    /// @param ended one that nothing refers to
    void give(TensorResponse ended) {
        if (count < MOST) {
            idle[count++] = ended;
        }
    }
}
