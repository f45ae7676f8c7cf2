package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;

/// Is told once, on the loop, how a move has ended.
public interface MoveEnd {
    /// @param moved is the callee's
    void onMoved(Tensor moved);

    /// There is no tensor.
    void onFailed(TransportException cause);
}
