package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.wire.Checksum;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result in memory of an accelerator whose content comes in pieces, each by way of a proxy: while some are written
/// by the sender, those that have landed are copied.
///
/// ```
/// FREE -- proxy -->       NAMED: the sender is told where the next piece goes
/// NAMED -- immediate -->  REVOKED: the sender's key to it is taken back
/// REVOKED -->             READY: to be summed, where there is a checksum, in the order of the numbers, and copied
/// READY -->               WORKING: summed on a worker, then copied
/// WORKING -->             FREE, or NAMED again with the same proxy if nobody waits for one
/// ```
///
/// It is the request's until all has landed, and ends the receive itself then: with the last copy. It stops naming when
/// something goes wrong, or the request is given up: then what lands is not copied.
///
/// Owner: the thread that makes it, then the loop. Nothing is made per chunk, and a message per piece.
final class PieceReceiver implements PieceDestination, ProxyWaiter {
    private enum State {
        FREE,
        NAMED,
        REVOKED,
        READY,
        WORKING
    }

    private final TransferContext context;
    private final RemoteReceive receive;
    private final AcceleratorUnit unit;
    private final Tensor tensor;
    private final Piece[] pieces;
    private final long bytes;

    private @Nullable TensorRequest request;
    private @Nullable RdmaChannel channel;
    private OptionalLong told = OptionalLong.empty();
    private final Checksum checksum = new Checksum();
    private int nextNumber;
    private int nextToSum;
    private long namedBytes;
    private long landedBytes;
    // Of pieces whose copy has begun, and is done.
    private long begunBytes;
    private int revoking;
    private int summing;
    private boolean asking;
    // Nothing else is named, and nothing copied.
    private boolean stopped;
    private boolean closed;
    private boolean delivered;
    private boolean ended;
    private boolean stranded;
    // The user has the result: its last copy was queued.
    private volatile boolean handedOver;
    private @Nullable TransportException failure;
    private @Nullable Revoked whenRevoked;

    /// @param tensor the result, of 1 byte or more
    /// @param most pieces that may be named and not landed
    PieceReceiver(TransferContext context, RemoteReceive receive, AcceleratorUnit unit, Tensor tensor, int most) {
        this.context = context;
        this.receive = receive;
        this.unit = unit;
        this.tensor = tensor;
        this.bytes = tensor.byteSize();
        this.pieces = new Piece[Math.min(most, unit.options().piecesAtOnce())];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = new Piece();
        }
    }

    @Override
    public void begin(TensorRequest by, RdmaChannel over, OptionalLong expected) {
        request = by;
        channel = over;
        told = expected;
        ask();
    }

    private long nextLength() {
        return Math.min(unit.options().pieceBytes(), bytes - namedBytes);
    }

    private boolean mayName() {
        return !stopped && namedBytes < bytes && channel().isOpen();
    }

    /// Asks for a proxy, if a piece is left to be named, and a place for it.
    private void ask() {
        while (!asking && mayName() && idle() != null) {
            asking = true;
            unit.receiveProxies().acquire(nextLength(), receive.peer(), this);
            if (asking) {
                return;
            }
        }
    }

    private @Nullable Piece idle() {
        for (Piece piece : pieces) {
            if (piece.state == State.FREE) {
                return piece;
            }
        }
        return null;
    }

    @Override
    public void onProxy(Proxy proxy) {
        asking = false;
        Piece idle = idle();
        if (idle == null || !mayName()) {
            proxy.close();
            return;
        }
        idle.name(proxy);
        ask();
    }

    @Override
    public void onNoProxy(TransportException cause) {
        asking = false;
        fail(unit.firstCause(cause));
    }

    @Override
    public void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        if (asking) {
            asking = false;
            unit.receiveProxies().cancel(this);
        }
        goOn();
    }

    private void fail(TransportException cause) {
        if (failure == null) {
            failure = cause;
        }
        stop();
        if (!delivered && !closed) {
            request().onPieceFailed(cause);
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
        return landedBytes == bytes;
    }

    /// Tells when no landed piece can be written any more.
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
        Revoked then = whenRevoked;
        if (revoking == 0 && then != null) {
            whenRevoked = null;
            // First: it ends the request, before the last copy ends the receive.
            then.onRevoked();
        }
        goOn();
    }

    /// The content is here, but for its last copies: this ends the receive.
    void deliver() {
        unit.countStaged();
        delivered = true;
        goOn();
    }

    /// Does with the pieces what is to be done now.
    private void goOn() {
        for (Piece piece : pieces) {
            if (piece.state == State.READY) {
                piece.goOn();
            }
        }
        endIfDone();
    }

    private void endIfDone() {
        if (ended || !(delivered || closed)) {
            return;
        }
        for (Piece piece : pieces) {
            if (piece.state != State.FREE) {
                return;
            }
        }
        ended = true;
        TransportException cause = failure;
        if (stranded) {
            // The accelerator may copy for ever: nobody gets it again.
            unit.strand(tensor);
        } else if (handedOver || closed || cause != null) {
            // It may wait for the driver.
            unit.copies().release(tensor);
        }
        if (delivered && !handedOver) {
            if (cause != null) {
                context.counters().failedReceives.increment();
            }
            receive.complete(cause == null ? new RecvResult.Received(tensor) : new RecvResult.Failed(cause));
        }
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

    @Override
    public boolean outlivesChannel() {
        return false;
    }

    @Override
    public void strand() {
        for (Piece piece : pieces) {
            piece.strandIfNamed();
        }
        close();
    }

    @Override
    public void close() {
        closed = true;
        stop();
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

    /// One place for a piece, on its way; one after the other.
    private final class Piece extends CopyTask implements MemoryNaming, Revoked {
        private State state = State.FREE;
        private @Nullable Proxy proxy;
        private MemoryGrant grant = MemoryGrant.LASTING;
        private int number;
        private int lane;
        private long offset;
        private int length;
        // It is the last of the content whose copy begins.
        private boolean last;

        /// Becomes the next piece.
        private void name(Proxy given) {
            proxy = given;
            state = State.NAMED;
            number = nextNumber++;
            offset = namedBytes;
            length = (int) nextLength();
            namedBytes += length;
            lane = channel().laneOfPiece(request().index(), number);
            grant = channel().namePiece(new NamedMemory(given.region(), given.address(), length), lane, this);
        }

        @Override
        public OutgoingMessage message(int remoteKey) {
            return new Message.TensorPiece(
                    receive.stepId(), request().index(), number, length, proxy().address(), remoteKey);
        }

        /// Nothing was sent of it, and nobody writes there.
        @Override
        public void onRefused(TransportException cause) {
            // First: this receiver may be the one that waits for the proxy, and is to name nothing else.
            fail(cause);
            giveBack();
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
                state = State.READY;
                PieceReceiver.this.onRevoked();
            }
        }

        /// It has landed, and is the receiver's alone.
        private void goOn() {
            if (stopped) {
                giveBack();
            } else if (told.isPresent()) {
                if (number == nextToSum && summing == 0) {
                    sum();
                }
            } else {
                copyIfItsTime();
            }
        }

        private void sum() {
            state = State.WORKING;
            summing++;
            MemorySegment content = content();
            context.workers().execute(() -> {
                checksum.add(content);
                context.loop().execute(this::onSummed);
            });
        }

        private void onSummed() {
            summing--;
            nextToSum++;
            if (!stopped && offset + length == bytes && checksum.value() != told.getAsLong()) {
                context.counters().checksumMismatches.increment();
                fail(new TransportException(
                        StatusCode.DATA_LOSS,
                        "the content of " + receive.key() + " does not match its checksum",
                        receive.peer(),
                        0,
                        null));
            }
            if (stopped) {
                giveBack();
            } else {
                copy();
            }
            PieceReceiver.this.goOn();
        }

        /// The last copy ends the receive, so not before the request has ended.
        private void copyIfItsTime() {
            if (delivered || begunBytes + length < bytes) {
                copy();
            }
        }

        private void copy() {
            state = State.WORKING;
            begunBytes += length;
            last = begunBytes == bytes;
            unit.copies().fromHost(content(), tensor.address() + offset, this);
        }

        private MemorySegment content() {
            MemorySegment all = proxy().segment();
            return length < all.byteSize() ? all.asSlice(0, length) : all;
        }

        /// Behind it in the stream nothing of this result comes.
        @Override
        protected boolean wantsToKnowWhenQueued() {
            return last && receive.options().delivery() == Delivery.QUEUED;
        }

        /// The user gets a handle of its own: the memory stays in use until the copy is done, whatever the user does.
        @Override
        protected void onQueued(DeviceEvent copied) {
            Tensor users = tensor.share().readyAfter(copied);
            handedOver = true;
            receive.complete(new RecvResult.Received(users));
        }

        @Override
        protected void onDone() {
            Proxy used = proxy();
            state = State.FREE;
            proxy = null;
            if (!asking
                    && mayName()
                    && nextLength() <= used.byteSize()
                    && !unit.receiveProxies().isAwaited()) {
                name(used);
            } else {
                used.close();
            }
            ask();
            endIfDone();
        }

        @Override
        protected void onFailed(TransportException cause, boolean mayStillCopy) {
            // Before the pool hears of the proxy, and perhaps has none for this any more.
            if (mayStillCopy) {
                stranded = true;
            }
            Proxy used = proxy();
            proxy = null;
            state = State.FREE;
            fail(cause);
            if (mayStillCopy) {
                used.strand();
            } else {
                used.close();
            }
            endIfDone();
        }

        private void strandIfNamed() {
            if (state == State.NAMED || state == State.REVOKED) {
                proxy().strand();
                proxy = null;
                state = State.FREE;
            }
        }

        private void giveBack() {
            state = State.FREE;
            Proxy used = proxy();
            proxy = null;
            used.close();
        }

        private Proxy proxy() {
            return Objects.requireNonNull(proxy, "the piece has no proxy");
        }
    }
}
