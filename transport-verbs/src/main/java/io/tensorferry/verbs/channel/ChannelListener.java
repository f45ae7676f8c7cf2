package io.tensorferry.verbs.channel;

/// Receives the life cycle events of channels. Every call is on the loop and must not block.
public interface ChannelListener {
    /// Called when a channel to a peer is open and was given to all its waiters. Precedes everything that arrives on
    /// it.
    void onChannelOpen(RdmaChannel channel);

    /// Called before the loss of `channel` if the device may continue to read and write the memory of its operations in
    /// progress. That memory must neither be reused nor be released.
    void onMemoryStranded(RdmaChannel channel);

    /// Called once for a channel that was open, when it is lost: its queue pairs are destroyed, and no device reads or
    /// writes local memory for it, unless [#onMemoryStranded] was called before.
    void onChannelLost(RdmaChannel channel, ChannelLoss loss);
}
