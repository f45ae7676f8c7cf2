package io.tensorferry.api.edge;

import io.tensorferry.api.Tensor;

/// The consumer's end of a [StaticEdge].
///
/// ```
/// poll -> take -> (read) -> release -> poll ...
/// ```
///
/// Its memory is released when this end is closed and the producer has stopped writing ([#ended]).
///
/// Threading: [#take] and [#release] from one thread at a time; all other methods from any thread.
public interface StaticReceiver extends EdgeReceiver {
    /// Takes the next tensor, in the memory that the producer wrote. This end owns the tensor: it is valid until
    /// [#release()], and the caller does not close it.
    ///
    /// @throws IllegalStateException if no tensor has arrived ([#poll] returns false), all places are taken, or this
    ///     end is closed
    /// @throws io.tensorferry.api.TransportException the cause that ended the edge, once all tensors that had arrived
    ///     are taken
    @Override
    Tensor take();

    /// Releases the oldest tensor that was taken: the producer may overwrite its place.
    ///
    /// @throws IllegalStateException if no tensor is taken
    void release();
}
