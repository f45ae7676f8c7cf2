package io.tensorferry.verbs.link;

/// Where those who want a channel ask for it.
///
/// Owner: the loop.
public interface ChannelSource {
    /// Gives `waiter` the channel to `peer`, now or when it is open, and sets one up if there is none. A waiter that
    /// already waits for that peer keeps its place and is called once.
    void withChannel(String peer, ChannelWaiter waiter);

    /// `waiter` no longer wants the channel to `peer`: it is forgotten at once and not called. Costs the same however
    /// many wait. Does nothing if it does not wait.
    void withdraw(String peer, ChannelWaiter waiter);
}
