package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result that is larger than one memory window of the device: the sender is told its memory piece by piece, and each
/// piece has a window of its own.
///
/// ```
/// FREE -- named -->       NAMED: the sender is told where the next piece goes
/// NAMED -- immediate -->  REVOKED: the sender's key to it is taken back
/// REVOKED -->             FREE: for the next piece
/// ```
///
/// Owner: the thread that makes it, then the loop.
final class WindowedPieces implements PieceDestination {
    /// A piece of a content has 2^31 - 1 bytes at most; this keeps pieces at multiples of the largest page.
    private static final long MOST_PIECE_BYTES = 1L << 30;

    private enum State {
        FREE,
        NAMED,
        REVOKED
    }

    private final RemoteReceive receive;
    private final Destination whole;
    private final NamedMemory memory;
    private final long pieceBytes;
    private final Piece[] pieces;

    private @Nullable TensorRequest request;
    private @Nullable RdmaChannel channel;
    private int nextNumber;
    private long namedBytes;
    private long landedBytes;
    private int revoking;
    // Nothing else is named.
    private boolean stopped;
    private boolean closed;
    private boolean ended;
    private @Nullable Revoked whenRevoked;

    /// @param whole the result; is taken over
    /// @param memory all of it
    /// @param windowBytes what one window opens
    /// @param most pieces that may be named and not landed
    WindowedPieces(RemoteReceive receive, Destination whole, NamedMemory memory, long windowBytes, int most) {
        this.receive = receive;
        this.whole = whole;
        this.memory = memory;
        this.pieceBytes = Math.min(windowBytes, MOST_PIECE_BYTES);
        this.pieces = new Piece[most];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = new Piece();
        }
    }

    /// The result, of which all has landed.
    Destination whole() {
        return whole;
    }

    @Override
    public void begin(TensorRequest by, RdmaChannel over, OptionalLong expected) {
        request = by;
        channel = over;
        nameMore();
    }

    private void nameMore() {
        for (Piece piece : pieces) {
            if (piece.state == State.FREE
                    && !stopped
                    && namedBytes < memory.length()
                    && channel().isOpen()) {
                piece.name();
            }
        }
    }

    @Override
    public boolean landed(int lane) {
        Piece oldest = null;
        for (Piece piece : pieces) {
            if (piece.state == State.NAMED && piece.lane == lane && (oldest == null || piece.number < oldest.number)) {
                oldest = piece;
            }
        }
        if (oldest == null) {
            throw new ProtocolViolationException("a piece came over lane " + lane + " that was not named");
        }
        landedBytes += oldest.length;
        oldest.revoke();
        return landedBytes == memory.length();
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public void revoke(Revoked then) {
        if (revoking == 0) {
            then.onRevoked();
        } else {
            whenRevoked = then;
        }
    }

    private void onRevoked() {
        revoking--;
        nameMore();
        Revoked then = whenRevoked;
        if (revoking == 0 && then != null) {
            whenRevoked = null;
            then.onRevoked();
        }
        endIfDone();
    }

    private void endIfDone() {
        if (!closed || ended) {
            return;
        }
        for (Piece piece : pieces) {
            if (piece.state != State.FREE) {
                return;
            }
        }
        ended = true;
        whole.close();
    }

    @Override
    public @Nullable NamedMemory named() {
        return null;
    }

    @Override
    public MemorySegment content() {
        throw new ProtocolViolationException("a content in a message for a request in pieces");
    }

    @Override
    public boolean needsWork() {
        return false;
    }

    /// What was named is named anew, from the first byte, on the next channel.
    @Override
    public boolean outlivesChannel() {
        return false;
    }

    @Override
    public void strand() {
        stopped = true;
        ended = true;
        whole.strand();
    }

    @Override
    public void close() {
        closed = true;
        stopped = true;
        for (Piece piece : pieces) {
            if (piece.state == State.NAMED) {
                piece.revoke();
            }
        }
        endIfDone();
    }

    private RdmaChannel channel() {
        return Objects.requireNonNull(channel, "nothing is asked for");
    }

    private TensorRequest request() {
        return Objects.requireNonNull(request, "nothing is asked for");
    }

    /// One place for a piece; one after the other.
    private final class Piece implements MemoryNaming, MemoryGrant.Revoked {
        private State state = State.FREE;
        private MemoryGrant grant = MemoryGrant.LASTING;
        private int number;
        private int lane;
        private long address;
        private int length;

        /// Becomes the next piece.
        private void name() {
            state = State.NAMED;
            number = nextNumber++;
            address = memory.address() + namedBytes;
            length = (int) Math.min(pieceBytes, memory.length() - namedBytes);
            namedBytes += length;
            lane = channel().laneOfPiece(request().index(), number);
            grant = channel().namePiece(new NamedMemory(memory.region(), address, length), lane, this);
        }

        @Override
        public OutgoingMessage message(int remoteKey) {
            return new Message.TensorPiece(receive.stepId(), request().index(), number, length, address, remoteKey);
        }

        /// Nothing was sent of it, and nobody writes there.
        @Override
        public void onRefused(TransportException cause) {
            stopped = true;
            state = State.FREE;
            request().onPieceFailed(cause);
            endIfDone();
        }

        private void revoke() {
            state = State.REVOKED;
            revoking++;
            MemoryGrant taken = grant;
            grant = MemoryGrant.LASTING;
            taken.revoke(this);
        }

        @Override
        public void onRevoked() {
            if (state == State.REVOKED) {
                state = State.FREE;
                WindowedPieces.this.onRevoked();
            }
        }
    }
}
