package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.SlotReader;

/// What the rendezvous is told by the channels of an adapter. Every call comes on the loop and must not block.
public interface RendezvousHandler extends ChannelListener {
    /// A control message arrived that is not about an edge. A [io.tensorferry.verbs.wire.ProtocolViolationException]
    /// fails the channel, and only
    /// it.
    void onMessage(RdmaChannel channel, Message message);

    /// The message that comes for each transfer of a name that the channel knows, read and not made:
    /// [Message.RepeatedRequest]. A [io.tensorferry.verbs.wire.ProtocolViolationException] fails the channel, and only
    /// it.
    void onRepeatedRequest(RdmaChannel channel, SlotReader message);

    /// The content for a request came inside the ring, and is there until this returns: [Message.TensorContent]. A
    /// [io.tensorferry.verbs.wire.ProtocolViolationException] fails the channel, and only it.
    void onCarriedContent(RdmaChannel channel, SlotReader message);

    /// The content for a request has landed in the memory that the request named. A
    /// [io.tensorferry.verbs.wire.ProtocolViolationException]
    /// fails the channel, and only it.
    ///
    /// @param lane the data lane by which it came, or the last of its parts
    void onContent(RdmaChannel channel, int requestIndex, int lane);
}
