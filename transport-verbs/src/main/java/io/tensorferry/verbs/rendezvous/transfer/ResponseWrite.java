package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.wire.MessageCodec;
import java.lang.foreign.MemorySegment;

/// Writes a response's content into the peer's memory or its ring. Reused together with its response.
///
/// Owner: the loop.
final class ResponseWrite extends ContentWrite {
    private final RendezvousCounters counters;
    private final TensorResponse response;
    private long bytes;
    private boolean withMetaData;

    ResponseWrite(RendezvousCounters counters, TensorResponse response) {
        this.counters = counters;
        this.response = response;
    }

    /// @param announced whether the content goes through the ring, together with its metadata
    /// @param address the peer's memory for it, if the peer has named any
    void begin(OutgoingContent outgoing, boolean announced, long address, int remoteKey) {
        withMetaData = announced;
        bytes = outgoing.metaData().byteSize();
        set(outgoing.address(), bytes, outgoing.localKey(), address, remoteKey, response.requestIndex());
        if (!outgoing.isHostReadable()) {
            setOutOfReach();
        }
    }

    @Override
    public int encodedSize() {
        return withMetaData
                ? MessageCodec.announcedContentBytes(response.content().metaData())
                : MessageCodec.contentMessageBytes((int) bytes);
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        OutgoingContent outgoing = response.content();
        counters.tensorsCarried.increment();
        if (withMetaData) {
            return response.metaDataResponse(outgoing.segment().asByteBuffer()).encode(target, offset, room);
        }
        return MessageCodec.encodeContent(
                target, offset, response.stepId(), response.requestIndex(), outgoing.segment());
    }

    @Override
    public void onWritten() {
        counters.tensorsSent.increment();
        counters.bytesSent.add(bytes);
        response.onWritten();
    }

    @Override
    public void onAbandoned() {
        response.onWriteAbandoned();
    }
}
