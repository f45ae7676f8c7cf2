package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.StagedTensor;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;

/// Writes a response's content, from an accelerator or from host memory, into memory that the peer names piece by
/// piece.
///
/// Pieces are written in order and cut into chunks, each over the lane of its piece; the last chunk of a piece carries
/// the immediate. The transfer ends with the last write of the content. If the peer gives the request up before it has
/// named all memory, the transfer ends as soon as no chunk is in flight.
///
/// Owner: the loop.
public final class PieceServer extends ChunkedWrite {
    private final int chunkBytes;
    // The named pieces whose last chunk has not begun, oldest first; a ring buffer with room for as many as may be
    // named.
    private final long[] addresses;
    private final int[] keys;
    private final int[] sizes;
    private final int[] lanes;
    private int first;
    private int count;
    // Bytes begun of the first named piece.
    private int begunOfFirst;
    private int nextNumber;
    private long namedBytes;
    private long begunBytes;
    // The peer had no key for a piece: it gives the request up.
    private boolean gap;

    /// @param content of 1 byte or more
    /// @param most the number of pieces that the peer may have named whose immediate is not posted
    public PieceServer(
            RendezvousCounters counters, Owner response, OutgoingContent content, RdmaChannel over, int most) {
        StagedTensor staged = content.staged();
        super(counters, staged == null ? most : staged.unit().options().piecesAtOnce());
        this.chunkBytes = staged == null
                ? over.chunkBytes()
                : Math.min(staged.unit().options().pieceBytes(), over.chunkBytes());
        this.addresses = new long[most];
        this.keys = new int[most];
        this.sizes = new int[most];
        this.lanes = new int[most];
        open(response, content, over);
    }

    /// Accepts the memory that the peer has named for a piece.
    ///
    /// @throws ProtocolViolationException if the piece is beyond the end of the content, or exceeds the number of
    ///     pieces named at once
    public void onPiece(Message.TensorPiece piece) {
        if (gap || isStopped()) {
            return;
        }
        if (piece.piece() != nextNumber) {
            gap = true;
            return;
        }
        if (piece.bytes() > bytes() - namedBytes) {
            throw new ProtocolViolationException("piece " + piece.piece() + " of " + piece.bytes()
                    + " bytes is beyond the end of a content of " + bytes());
        }
        if (count == sizes.length) {
            throw new ProtocolViolationException(
                    "more than " + count + " pieces of request " + piece.requestIndex() + " are named at once");
        }
        int place = (first + count) % sizes.length;
        addresses[place] = piece.address();
        keys[place] = piece.remoteKey();
        sizes[place] = piece.bytes();
        lanes[place] = channel().laneOfPiece(piece.requestIndex(), piece.piece());
        count++;
        nextNumber++;
        namedBytes += piece.bytes();
        advance();
    }

    /// Stops, because the receiver does not want the content any more. A content whose memory has all been named is
    /// still written, and its arrival shows the receiver that its memory is free.
    public void onGivenUp() {
        if (namedBytes < bytes()) {
            stop();
        }
    }

    @Override
    boolean hasNext() {
        return count > 0;
    }

    @Override
    long nextLength() {
        return Math.min(sizes[first] - begunOfFirst, chunkBytes);
    }

    @Override
    void takeNext(Chunk chunk) {
        int length = (int) nextLength();
        boolean last = begunOfFirst + length == sizes[first];
        chunk.be(begunBytes, length, addresses[first] + begunOfFirst, keys[first], lanes[first], last);
        begunBytes += length;
        begunOfFirst += length;
        if (last) {
            first = (first + 1) % sizes.length;
            count--;
            begunOfFirst = 0;
        }
    }

    @Override
    boolean isAllBegun() {
        return begunBytes == bytes();
    }
}
