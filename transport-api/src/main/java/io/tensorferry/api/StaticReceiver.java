package io.tensorferry.api;

/// The consumer's end of a [StaticEdge].
///
/// ```
/// poll -> take -> (read) -> release -> poll ...
/// ```
///
/// Threading: [#take] and [#release] from one thread at a time; everything else from any. Its memory goes back when it
/// is closed and the producer is known to write no more, [#ended].
public interface StaticReceiver extends EdgeReceiver {
    /// The next tensor, in the memory where it was written. It is this end's: valid until [#release()], not to be
    /// closed before that by whoever takes it.
    ///
    /// @throws IllegalStateException if [#poll] says that there is none, as many are taken as there are places, or this
    ///     end is closed
    /// @throws TransportException why the edge has ended, when all that had arrived is taken
    @Override
    Tensor take();

    /// The oldest tensor that was taken is not read any more: its place may be written again.
    ///
    /// @throws IllegalStateException if none is taken
    void release();
}
