package io.tensorferry.api;

/// A receive that was asked for and may not have ended yet.
public interface PendingReceive {
    /// Ends this receive with `CANCELLED` unless it has ended already; returns whether it did.
    ///
    /// The callback runs soon after. Memory that the peer may still write stays out of the pool until the peer is
    /// known to be done with it. Any thread.
    boolean cancel();
}
