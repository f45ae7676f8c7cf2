package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;

/// Receives the result of a move, once, on the loop.
public interface MoveEnd {
    /// @param moved owned by the callee
    void onMoved(Tensor moved);

    /// Called when the move has failed.
    void onFailed(TransportException cause);
}
