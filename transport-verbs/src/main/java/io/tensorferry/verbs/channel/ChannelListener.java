package io.tensorferry.verbs.channel;

/// What everything above a channel is told of its life. Every call comes on the loop and must not block.
public interface ChannelListener {
    /// A channel to a peer is open, and was given to all who waited for it. Comes before anything that it brings.
    void onChannelOpen(RdmaChannel channel);

    /// The device may go on to read and write the memory of what is under way on `channel`, which is about to be lost:
    /// that memory must not be used again, nor be given back.
    void onMemoryStranded(RdmaChannel channel);

    /// The channel is gone: its queue pairs are destroyed, nothing reads or writes local memory for it any more.
    /// Comes once for a channel that was open.
    void onChannelLost(RdmaChannel channel, ChannelLoss loss);
}
