package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;

/// Receives the edge messages of an adapter's channels. Every call is on the loop and must not block. A
/// [io.tensorferry.verbs.wire.ProtocolViolationException] fails that channel alone.
public interface EdgeHandler extends ChannelListener {
    /// Called for a control message about an edge.
    void onMessage(RdmaChannel channel, Message.OfEdge message);

    /// Called when the peer has repeated on this channel all offers of an earlier channel that are still valid.
    void onResumed(RdmaChannel channel);

    /// Called for [Message.EdgeCredit], which arrives for each tensor and is read without creating an object.
    void onCredit(RdmaChannel channel, int edge, long released);

    /// Called when a part of an edge's next tensor has landed, or the whole tensor if it is sent over one lane.
    ///
    /// @param lane the data lane of the arrival, 1 or more
    void onEdgeContent(RdmaChannel channel, int edge, int lane);
}
