package io.tensorferry.api;

/// The consumer's end of a [DynamicEdge].
///
/// ```
/// poll -> take -> (read, close) -> poll ...
/// ```
///
/// At most twice as many tensors as there are slots are here and not taken; the producer's next wait. Those that are
/// not taken are closed with this end.
public interface DynamicReceiver extends EdgeReceiver {
    /// The next tensor, in memory of its own. The caller owns the handle.
    ///
    /// @throws IllegalStateException if [#poll] says that there is none, or this end is closed
    /// @throws TransportException why the edge has ended, when all that had arrived is taken
    @Override
    Tensor take();
}
