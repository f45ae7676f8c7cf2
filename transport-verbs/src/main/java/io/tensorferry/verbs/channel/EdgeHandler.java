package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;

/// What the edges are told by the channels of an adapter. Every call comes on the loop and must not block. A
/// [io.tensorferry.verbs.wire.ProtocolViolationException] fails the channel, and only it.
public interface EdgeHandler extends ChannelListener {
    /// A control message about an edge arrived.
    void onMessage(RdmaChannel channel, Message.OfEdge message);

    /// The peer has offered again on this channel what it had offered on an earlier one and still wants.
    void onResumed(RdmaChannel channel);

    /// The one that comes for each tensor, read and not made: [Message.EdgeCredit].
    void onCredit(RdmaChannel channel, int edge, long released);

    /// A part of the next tensor of an edge has landed, or all of it where it goes over one lane.
    ///
    /// @param lane over which it came, 1 or more
    void onEdgeContent(RdmaChannel channel, int edge, int lane);
}
