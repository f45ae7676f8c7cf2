package io.tensorferry.verbs.edge;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;

/// The credit message for the producer. It is encoded with the releases at the time of sending, which may exceed those
/// at the time of queueing, so that one message covers several releases.
///
/// Owner: the loop.
final class ReleaseCredit implements OutgoingMessage {
    private final ReceivingEnd end;
    private boolean queued;
    private long said;

    ReleaseCredit(ReceivingEnd end) {
        this.end = end;
    }

    /// Resets the state for a new channel, whose offer reports the releases.
    void begin() {
        queued = false;
        said = end.releasedByOffer();
    }

    /// Tensors reported to the producer as released, over all channels.
    long said() {
        return said;
    }

    /// Queues the message if releases are unreported.
    ///
    /// @param inAnyCase whether to queue it even if [ReceivingEnd#isWorthACredit] is false
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
