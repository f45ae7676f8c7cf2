package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;

/// Writes a response's content from an accelerator into memory that the peer has named as a whole.
///
/// Its chunks use the same lanes as a content in host memory, in turn; the last chunk of each lane carries the
/// immediate. After its last write the object can be reused for another content.
///
/// Owner: the loop.
public final class StagedWrite extends ChunkedWrite {
    private final int pieceBytes;
    private long remoteAddress;
    private int remoteKey;
    private int chunkBytes;
    private int chunks;
    private int lanes;
    private int homeLane;
    // The first chunk that has not begun.
    private int next;

    public StagedWrite(RendezvousCounters counters, AcceleratorOptions options) {
        super(counters, options.piecesAtOnce());
        this.pieceBytes = options.pieceBytes();
    }

    /// Writes the content; its response is notified of the end, possibly before this method returns.
    ///
    /// @param content a staged content of 1 byte or more
    /// @param address the peer's memory for it
    public void begin(Owner of, OutgoingContent content, RdmaChannel over, long address, int key) {
        open(of, content, over);
        remoteAddress = address;
        remoteKey = key;
        chunkBytes = Math.min(pieceBytes, over.chunkBytes());
        lanes = over.lanesOf(bytes());
        homeLane = over.laneOf(of.requestIndex());
        // At least one chunk per lane, for its immediate; surplus chunks are empty.
        chunks = Math.max(Math.toIntExact((bytes() - 1) / chunkBytes + 1), lanes);
        next = 0;
        advance();
    }

    @Override
    boolean hasNext() {
        return next < chunks;
    }

    @Override
    long nextLength() {
        return Math.clamp(bytes() - offset(next), 0, chunkBytes);
    }

    private long offset(int chunk) {
        return (long) chunk * chunkBytes;
    }

    @Override
    void takeNext(Chunk chunk) {
        int lane = lanes == 1 ? homeLane : 1 + (homeLane - 1 + next) % lanes;
        chunk.be(
                offset(next),
                nextLength(),
                remoteAddress + offset(next),
                remoteKey,
                lane,
                // The last chunk of its lane.
                next + lanes >= chunks);
        next++;
    }

    @Override
    boolean isAllBegun() {
        return next == chunks;
    }
}
