package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A destination that is named to the sender piece by piece, several pieces at a time.
///
/// ```
/// FREE -- named -->       NAMED: the sender has the address and rkey of the piece
/// NAMED -- immediate -->  REVOKED: the sender's key to it is being revoked
/// REVOKED -->             READY: it has landed, and no peer writes it any more
/// READY -->               WORKING, if it is summed or copied first
/// READY, WORKING -->      FREE
/// ```
///
/// As a grant it represents the keys of the landed pieces: it is revoked once none of these pieces can be written any
/// more.
///
/// Owner: the thread that creates it, then the loop. It allocates one message per piece and nothing per chunk.
abstract sealed class PieceDestination implements Destination, MemoryGrant permits PieceReceiver, WindowedPieces {
    enum State {
        FREE,
        NAMED,
        REVOKED,
        READY,
        WORKING
    }

    final RemoteReceive receive;
    /// The size of the content in bytes.
    final long bytes;
    /// The total size of the named pieces in bytes.
    long namedBytes;
    /// No further piece is named or copied.
    boolean stopped;

    boolean closed;

    private @Nullable Asker asker;
    private @Nullable RdmaChannel channel;
    private int nextNumber;
    private long landedBytes;
    private int revoking;
    private boolean ended;
    private @Nullable Revoked whenRevoked;

    PieceDestination(RemoteReceive receive, long bytes) {
        this.receive = receive;
        this.bytes = bytes;
    }

    /// The slots for pieces; always the same array.
    abstract Piece[] pieces();

    /// Names and processes pieces as far as possible now.
    abstract void advance();

    /// Whether the destination ends as soon as no piece is named or in work.
    abstract boolean isOver();

    /// Releases the memory or hands it over, once no piece is named or in work. Called once.
    abstract void end();

    @Override
    public MemoryGrant ask(Asker by, RdmaChannel over, OptionalLong expected) {
        by.askInPieces();
        asker = by;
        channel = over;
        return this;
    }

    final boolean mayName() {
        return !stopped && namedBytes < bytes && channel().isOpen();
    }

    @Override
    public final boolean landed(int lane) {
        Piece oldest = null;
        for (Piece piece : pieces()) {
            if (piece.state == State.NAMED && piece.lane == lane && (oldest == null || piece.number < oldest.number)) {
                oldest = piece;
            }
        }
        if (oldest == null) {
            throw new ProtocolViolationException("a piece that was not named arrived over lane " + lane);
        }
        landedBytes += oldest.length;
        oldest.revoke();
        return landedBytes == bytes;
    }

    @Override
    public final void revoke(Revoked then) {
        if (revoking == 0) {
            then.onRevoked();
        } else {
            whenRevoked = then;
        }
    }

    private void onRevoked() {
        revoking--;
        Revoked then = whenRevoked;
        if (revoking == 0 && then != null) {
            whenRevoked = null;
            // First: it ends the request, before the last copy ends the receive.
            then.onRevoked();
        }
        advance();
        endIfDone();
    }

    final void endIfDone() {
        if (ended || !isOver()) {
            return;
        }
        for (Piece piece : pieces()) {
            if (piece.state != State.FREE) {
                return;
            }
        }
        ended = true;
        end();
    }

    /// Prevents the call of [#end].
    final void skipEnd() {
        ended = true;
    }

    @Override
    public @Nullable NamedMemory named() {
        return null;
    }

    @Override
    public boolean isWhole() {
        return false;
    }

    @Override
    public void fill(MemorySegment content) {
        throw new IllegalStateException("a content that arrived with its metadata is not requested in pieces");
    }

    @Override
    public Destination fill(SlotReader message) {
        throw new ProtocolViolationException("a message carries the content of a request in pieces");
    }

    /// The content is named anew from its first byte on the next channel.
    @Override
    public boolean outlivesChannel() {
        return false;
    }

    @Override
    public final void close() {
        closed = true;
        stop();
        for (Piece piece : pieces()) {
            if (piece.state == State.NAMED) {
                piece.revoke();
            }
        }
        endIfDone();
    }

    final RdmaChannel channel() {
        return Objects.requireNonNull(channel, "no content is requested");
    }

    final Asker asker() {
        return Objects.requireNonNull(asker, "no content is requested");
    }

    /// A reusable slot for one piece.
    abstract class Piece implements MemoryNaming, Revoked {
        State state = State.FREE;
        /// The number of the piece; the first is 0.
        int number;
        /// The offset in the content.
        long offset;

        int length;
        private MemoryGrant grant = MemoryGrant.LASTING;
        private int lane;
        private long address;

        /// Becomes the next piece.
        ///
        /// @param at the address of its memory
        final void name(MemoryRegion region, long at, int size) {
            state = State.NAMED;
            number = nextNumber++;
            offset = namedBytes;
            address = at;
            length = size;
            namedBytes += size;
            lane = channel().laneOfPiece(asker().index(), number);
            grant = channel().namePiece(new NamedMemory(region, at, size), lane, this);
        }

        @Override
        public final OutgoingMessage message(int remoteKey) {
            return new Message.TensorPiece(receive.stepId(), asker().index(), number, length, address, remoteKey);
        }

        /// The piece was not named, and no peer writes it.
        @Override
        public abstract void onRefused(TransportException cause);

        private void revoke() {
            state = State.REVOKED;
            revoking++;
            MemoryGrant taken = grant;
            grant = MemoryGrant.LASTING;
            taken.revoke(this);
        }

        @Override
        public final void onRevoked() {
            if (state == State.REVOKED) {
                state = State.READY;
                PieceDestination.this.onRevoked();
            }
        }
    }
}
