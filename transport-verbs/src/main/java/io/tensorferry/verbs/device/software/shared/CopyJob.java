package io.tensorferry.verbs.device.software.shared;

/// A long copy that the [LongCopyThread] makes in pieces. The loop stays free while a piece is copied.
interface CopyJob {
    /// Selects the next piece and checks that it may be copied. On the loop.
    ///
    /// @return false if no piece is available now: the job ends until it is added again
    boolean begin();

    /// Copies the piece. Runs off the loop. A thread that ends access to memory waits for this call.
    ///
    /// @throws IllegalStateException if the memory is gone
    /// @throws IndexOutOfBoundsException if the memory is gone
    /// @throws InternalError if a page of the memory cannot be read or written
    void copy();

    /// Handles the end of the copy of the piece. On the loop.
    ///
    /// @param copied whether the copy succeeded
    /// @return whether to continue with [#begin()]
    boolean done(boolean copied);
}
