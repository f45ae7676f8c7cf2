package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.StagedTensor;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;

/// The way of a response's content into memory that the peer names piece by piece, from an accelerator or from the
/// host's memory.
///
/// Pieces are written in the order of their numbers, cut into chunks, each over the lane of its piece; the last of a
/// piece brings the immediate. It ends by the last write of the content; or, when the peer has given the request up
/// before it had named all of it, as soon as nothing is under way.
///
/// Owner: the loop.
public final class PieceServer extends ChunkedWrite {
    private final int chunkBytes;
    // Those that were named and whose last chunk has not begun, oldest first; a ring of as many as may be named.
    private final long[] addresses;
    private final int[] keys;
    private final int[] sizes;
    private final int[] lanes;
    private int first;
    private int count;
    // Of the first of them.
    private int begunOfFirst;
    private int nextNumber;
    private long namedBytes;
    private long begunBytes;
    // The peer had no key for a piece: it gives the request up.
    private boolean gap;

    /// @param content of 1 byte or more
    /// @param most pieces that the peer may have named whose immediate is not posted
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

    /// The peer has memory for a piece.
    ///
    /// @throws ProtocolViolationException if it is beyond the end of the content, or one too many
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

    /// The receiver does not want the content any more. What it has named all memory for comes all the same, and tells
    /// it that its memory is free.
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
