package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.SlotReader;

/// What the layer above is told by the channels of an adapter. Every call comes on the loop and must not block.
public interface ChannelHandler {
    /// A control message arrived. A [ProtocolViolationException] fails the channel, and only it.
    void onMessage(RdmaChannel channel, Message message);

    /// The message that comes for each transfer of a name that the channel knows, read and not made:
    /// [Message.RepeatedRequest]. A [ProtocolViolationException] fails the channel, and only it.
    void onRepeatedRequest(RdmaChannel channel, SlotReader message);

    /// The content for a request came inside the ring, and is there until this returns: [Message.TensorContent]. A
    /// [ProtocolViolationException] fails the channel, and only it.
    void onCarriedContent(RdmaChannel channel, SlotReader message);

    /// The content for a request has landed in the memory that the request named. A [ProtocolViolationException]
    /// fails the channel, and only it.
    void onContent(RdmaChannel channel, int requestIndex);

    /// A channel to a peer is open, and was given to all who waited for it. Comes before anything that it brings.
    void onChannelOpen(RdmaChannel channel);

    /// The device may go on to read and write the memory of what is under way on `channel`, which is about to be lost:
    /// that memory must not be used again, nor be given back.
    void onMemoryStranded(RdmaChannel channel);

    /// The channel is gone: its queue pairs are destroyed, nothing reads or writes local memory for it any more.
    /// Comes once for a channel that was open.
    void onChannelLost(RdmaChannel channel, ChannelLoss loss);
}
