package io.tensorferry.verbs.link;

/// Provides channels to peers.
///
/// Owner: the loop.
public interface ChannelSource {
    /// Gives `waiter` the channel to `peer`, now or when it is open, and sets one up if none exists. A waiter that
    /// already waits for that peer keeps its place and is called once.
    void withChannel(String peer, ChannelWaiter waiter);

    /// Withdraws `waiter`, which is removed at once and not called. The cost does not depend on the number of waiters.
    /// Has no effect if it does not wait.
    void withdraw(String peer, ChannelWaiter waiter);
}
