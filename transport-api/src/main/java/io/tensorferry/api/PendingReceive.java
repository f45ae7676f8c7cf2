package io.tensorferry.api;

/// A handle on a receive that was requested and may not have ended yet.
///
/// Threading: any thread.
public interface PendingReceive {
    /// Ends this receive with `CANCELLED`, unless it has already ended; returns whether this call ended it.
    ///
    /// The callback runs soon afterwards. Memory that the peer may still write stays out of the pool until the peer is
    /// known to have stopped.
    boolean cancel();
}
