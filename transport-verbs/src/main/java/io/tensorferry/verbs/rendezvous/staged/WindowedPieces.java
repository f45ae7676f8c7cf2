package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import java.util.OptionalLong;

/// A result larger than one memory window of the device: each of its pieces has a memory window.
///
/// Owner: the thread that creates it, then the loop.
final class WindowedPieces extends PieceDestination {
    /// The protocol limits a piece to 2^31 - 1 bytes; this value keeps pieces at multiples of the largest page.
    private static final long MOST_PIECE_BYTES = 1L << 30;

    private final Destination whole;
    private final NamedMemory memory;
    private final long pieceBytes;
    private final Window[] windows;

    /// @param whole the result; taken over
    /// @param memory all of the result's memory
    /// @param windowBytes the size of one window
    /// @param most the number of pieces that may be named and not landed
    WindowedPieces(RemoteReceive receive, Destination whole, NamedMemory memory, long windowBytes, int most) {
        super(receive, memory.length());
        this.whole = whole;
        this.memory = memory;
        this.pieceBytes = Math.min(windowBytes, MOST_PIECE_BYTES);
        this.windows = new Window[most];
        for (int i = 0; i < windows.length; i++) {
            windows[i] = new Window();
        }
    }

    @Override
    Piece[] pieces() {
        return windows;
    }

    @Override
    public void begin() {
        advance();
    }

    @Override
    void advance() {
        for (Window window : windows) {
            if (window.state == State.READY) {
                window.state = State.FREE;
            }
            if (window.state == State.FREE && mayName()) {
                window.name(
                        memory.region(), memory.address() + namedBytes, (int) Math.min(pieceBytes, bytes - namedBytes));
            }
        }
    }

    @Override
    public void deliver(TransferContext context, RemoteReceive to, TensorMetaData metaData, OptionalLong checksum) {
        whole.deliver(context, to, metaData, checksum);
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    boolean isOver() {
        return closed;
    }

    @Override
    void end() {
        whole.close();
    }

    @Override
    public void strand() {
        stopped = true;
        skipEnd();
        whole.strand();
    }

    private final class Window extends Piece {
        @Override
        public void onRefused(TransportException cause) {
            stopped = true;
            state = State.FREE;
            asker().onPieceFailed(cause);
            endIfDone();
        }
    }
}
