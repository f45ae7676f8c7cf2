package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.SlotReader;

/// Receives the rendezvous messages and contents of an adapter's channels. Every call is on the loop and must not
/// block.
public interface RendezvousHandler extends ChannelListener {
    /// Called for a control message that concerns neither an edge nor a part. A
    /// [io.tensorferry.verbs.wire.ProtocolViolationException] fails that channel alone.
    void onMessage(RdmaChannel channel, Message message);

    /// Called for [Message.RepeatedRequest], which arrives for each transfer of a name that the channel has registered
    /// and is read without creating an object. A [io.tensorferry.verbs.wire.ProtocolViolationException] fails that
    /// channel alone.
    void onRepeatedRequest(RdmaChannel channel, SlotReader message);

    /// Called for [Message.TensorContent], a content inside the ring, which is valid until this returns. A
    /// [io.tensorferry.verbs.wire.ProtocolViolationException] fails that channel alone.
    void onCarriedContent(RdmaChannel channel, SlotReader message);

    /// Called when the content of a request has landed in the memory that the request named. A
    /// [io.tensorferry.verbs.wire.ProtocolViolationException] fails that channel alone.
    ///
    /// @param lane the data lane of the arrival, or of its last part
    void onContent(RdmaChannel channel, int requestIndex, int lane);
}
