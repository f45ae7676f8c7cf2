package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;

/// Receives the messages about partitioned tensors of an adapter's channels. Every call is on the loop and must not
/// block. A [io.tensorferry.verbs.wire.ProtocolViolationException] fails that channel alone.
public interface PartHandler extends ChannelListener {
    /// Called for a control message about a part.
    void onMessage(RdmaChannel channel, Message.OfPart message);
}
