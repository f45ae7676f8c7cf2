package io.tensorferry.verbs.edge;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;

/// What the producer is told to be released: as much as is when the message leaves, which may be more than when it was
/// queued, so that one stands for several.
///
/// Owner: the loop.
final class ReleaseCredit implements OutgoingMessage {
    private final ReceivingEnd end;
    private boolean queued;
    private long said;

    ReleaseCredit(ReceivingEnd end) {
        this.end = end;
    }

    /// On a new channel, where the offer says what is released.
    void begin() {
        queued = false;
        said = end.releasedByOffer();
    }

    /// Tensors that the producer has been told to be released, over all channels.
    long said() {
        return said;
    }

    /// Says what is not said, if there is something.
    ///
    /// @param inAnyCase also where it is not [ReceivingEnd#isWorthACredit]
    void send(RdmaChannel open, boolean inAnyCase) {
        long unsaid = end.releasable() - said;
        if (!queued && unsaid > 0 && (inAnyCase || end.isWorthACredit(unsaid))) {
            queued = true;
            open.send(this);
        }
    }

    @Override
    public int encodedSize() {
        return MessageCodec.EDGE_CREDIT_BYTES;
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        queued = false;
        said = end.releasable();
        return MessageCodec.encodeEdgeCredit(target, offset, end.number(), said);
    }
}
