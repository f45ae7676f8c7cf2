package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;

/// What the parts of partitioned tensors are told by the channels of an adapter. Every call comes on the loop and must
/// not block. A [io.tensorferry.verbs.wire.ProtocolViolationException] fails the channel, and only it.
public interface PartHandler extends ChannelListener {
    /// A control message about a part arrived.
    void onMessage(RdmaChannel channel, Message.OfPart message);
}
