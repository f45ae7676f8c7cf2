package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.wire.Checksum;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A result in accelerator memory whose content arrives in pieces, each through a proxy: landed pieces are copied while
/// the sender writes others.
///
/// A worker adds a landed piece to the checksum, if there is one, in piece order; then the piece is copied. After the
/// copy its slot is free, or the same proxy is named again if no other request waits for a proxy.
///
/// The request owns the result until all pieces have landed; the last copy then completes the receive. After a failure
/// or a give-up no further piece is named, and pieces that land afterwards are not copied.
///
/// Owner: the thread that creates it, then the loop.
final class PieceReceiver extends PieceDestination implements ProxyWaiter {
    private final TransferContext context;
    private final AcceleratorUnit unit;
    private final Tensor tensor;
    private final ProxiedPiece[] pieces;

    private OptionalLong told = OptionalLong.empty();
    private final Checksum checksum = new Checksum();
    private int nextToSum;
    // The total size of the pieces whose copy has begun or is done.
    private long begunBytes;
    private int summing;
    private boolean asking;
    private boolean delivered;
    private boolean stranded;
    // The user has the result: its last copy was queued.
    private volatile boolean handedOver;
    private @Nullable TransportException failure;

    /// @param tensor the result, of 1 byte or more
    /// @param most the number of pieces that may be named and not landed
    PieceReceiver(TransferContext context, RemoteReceive receive, AcceleratorUnit unit, Tensor tensor, int most) {
        super(receive, tensor.byteSize());
        this.context = context;
        this.unit = unit;
        this.tensor = tensor;
        this.pieces = new ProxiedPiece[Math.min(most, unit.options().piecesAtOnce())];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = new ProxiedPiece();
        }
    }

    @Override
    Piece[] pieces() {
        return pieces;
    }

    @Override
    public MemoryGrant ask(Asker by, RdmaChannel over, OptionalLong expected) {
        told = expected;
        return super.ask(by, over, expected);
    }

    @Override
    public void begin() {
        acquire();
    }

    private long nextLength() {
        return Math.min(unit.options().pieceBytes(), bytes - namedBytes);
    }

    /// Requests a proxy, if a piece is left to be named and a slot is free.
    private void acquire() {
        while (!asking && mayName() && idle() != null) {
            asking = true;
            unit.receiveProxies().acquire(nextLength(), receive.peer(), this);
            if (asking) {
                return;
            }
        }
    }

    private @Nullable ProxiedPiece idle() {
        for (ProxiedPiece piece : pieces) {
            if (piece.state == State.FREE) {
                return piece;
            }
        }
        return null;
    }

    @Override
    public void onProxy(Proxy proxy) {
        asking = false;
        ProxiedPiece idle = idle();
        if (idle == null || !mayName()) {
            proxy.close();
            return;
        }
        idle.name(proxy);
        acquire();
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
        advance();
        endIfDone();
    }

    private void fail(TransportException cause) {
        if (failure == null) {
            failure = cause;
        }
        stop();
        if (!delivered && !closed) {
            asker().onPieceFailed(cause);
        }
    }

    /// The content has landed, and only copies are left: they complete the receive.
    @Override
    public void deliver(TransferContext in, RemoteReceive to, TensorMetaData metaData, OptionalLong expected) {
        unit.countStaged();
        delivered = true;
        advance();
        endIfDone();
    }

    @Override
    void advance() {
        for (ProxiedPiece piece : pieces) {
            if (piece.state == State.READY) {
                piece.advance();
            }
        }
    }

    @Override
    boolean isOver() {
        return delivered || closed;
    }

    @Override
    void end() {
        TransportException cause = failure;
        if (stranded) {
            // The accelerator may still copy at any time: the memory is never reused.
            unit.strand(tensor);
        } else if (handedOver || closed || cause != null) {
            // The release may block on the driver.
            unit.copies().release(tensor);
        }
        if (delivered && !handedOver) {
            if (cause == null) {
                receive.complete(new RecvResult.Received(tensor));
            } else {
                context.fail(receive, cause);
            }
        }
    }

    @Override
    public void strand() {
        for (ProxiedPiece piece : pieces) {
            piece.strandIfNamed();
        }
        close();
    }

    private final class ProxiedPiece extends Piece {
        private final Copy copy = new Copy();
        private @Nullable Proxy proxy;
        // The copy of this piece is the last to begin.
        private boolean last;

        private void name(Proxy given) {
            proxy = given;
            name(given.region(), given.address(), (int) nextLength());
        }

        @Override
        public void onRefused(TransportException cause) {
            // First: this receiver may be the waiter that gets the proxy, and must not name another piece.
            fail(cause);
            giveBack();
            endIfDone();
        }

        /// Processes a landed piece, which no peer can write any more.
        private void advance() {
            if (stopped) {
                giveBack();
            } else if (told.isPresent()) {
                if (number == nextToSum && summing == 0) {
                    sum();
                }
            } else if (delivered || begunBytes + length < bytes) {
                // The last copy completes the receive, so it must not begin before the request has ended.
                copy();
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
                fail(context.checksumMismatch(receive));
            }
            if (stopped) {
                giveBack();
            } else {
                copy();
            }
            PieceReceiver.this.advance();
            endIfDone();
        }

        private void copy() {
            state = State.WORKING;
            begunBytes += length;
            last = begunBytes == bytes;
            unit.copies().fromHost(content(), tensor.address() + offset, copy);
        }

        private MemorySegment content() {
            MemorySegment all = proxy().segment();
            return length < all.byteSize() ? all.asSlice(0, length) : all;
        }

        private void onCopied() {
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
            acquire();
            endIfDone();
        }

        private void onCopyFailed(TransportException cause, boolean mayStillCopy) {
            // Before the proxy returns to the pool, which might otherwise serve this receiver's pending request.
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

        /// Copies the piece from its proxy to the accelerator.
        private final class Copy extends CopyTask {
            /// The last piece is the last work of this result in the stream.
            @Override
            protected boolean wantsToKnowWhenQueued() {
                return last && receive.options().delivery() == Delivery.QUEUED;
            }

            /// The user gets a separate handle: the memory stays in use until the copy is done.
            @Override
            protected void onQueued(DeviceEvent copied) {
                Tensor users = tensor.share().readyAfter(copied);
                handedOver = true;
                receive.complete(new RecvResult.Received(users));
            }

            @Override
            protected void onDone() {
                onCopied();
            }

            @Override
            protected void onFailed(TransportException cause, boolean mayStillCopy) {
                onCopyFailed(cause, mayStillCopy);
            }
        }
    }
}
