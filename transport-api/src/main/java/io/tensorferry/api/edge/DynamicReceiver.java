package io.tensorferry.api.edge;

import io.tensorferry.api.Tensor;

/// The consumer's end of a [DynamicEdge].
///
/// ```
/// poll -> take -> (read, close) -> poll ...
/// ```
///
/// At most twice as many tensors as the edge has slots are held here without being taken; further tensors wait at the
/// producer. Closing this end closes the tensors that were not taken.
public interface DynamicReceiver extends EdgeReceiver {
    /// Takes the next tensor, in separately allocated memory. The caller owns the handle.
    ///
    /// @throws IllegalStateException if no tensor has arrived ([#poll] returns false), or this end is closed
    /// @throws io.tensorferry.api.TransportException the cause that ended the edge, once all tensors that had arrived
    ///     are taken
    @Override
    Tensor take();
}
