package io.tensorferry.verbs.device.software.shared;

/// A long copy, made in pieces by the [LongCopyThread]. It holds nobody up: the loop is free while a piece is copied.
interface CopyJob {
    /// Chooses the next piece, and checks that it may be copied. On the loop.
    ///
    /// @return false if there is none now: the job is over, until it is handed in again
    boolean begin();

    /// Copies the piece. Not on the loop, but whoever ends access to memory waits for it.
    ///
    /// @throws IllegalStateException if the memory is gone
    /// @throws IndexOutOfBoundsException if the memory is gone
    /// @throws InternalError if a page of it cannot be had
    void copy();

    /// The piece is copied, or was not because of `failure`. On the loop.
    ///
    /// @return whether to go on with [#begin()]
    boolean done(boolean copied);
}
