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

/// A result in accelerator memory whose content comes in pieces, each through a proxy: while the sender writes some,
/// those that have landed are copied.
///
/// A piece that has landed is summed on a worker, where there is a checksum and in the order of the numbers, and then
/// copied. Its place is free after the copy, or named again with the same proxy if nobody waits for one.
///
/// It is the request's until all has landed; then its last copy ends the receive. It stops naming when something fails
/// or the request is given up: pieces that land afterwards are not copied.
///
/// Owner: the thread that makes it, then the loop.
final class PieceReceiver extends PieceDestination implements ProxyWaiter {
    private final TransferContext context;
    private final AcceleratorUnit unit;
    private final Tensor tensor;
    private final ProxiedPiece[] pieces;

    private OptionalLong told = OptionalLong.empty();
    private final Checksum checksum = new Checksum();
    private int nextToSum;
    // Of pieces whose copy has begun, and is done.
    private long begunBytes;
    private int summing;
    private boolean asking;
    private boolean delivered;
    private boolean stranded;
    // The user has the result: its last copy was queued.
    private volatile boolean handedOver;
    private @Nullable TransportException failure;

    /// @param tensor the result, of 1 byte or more
    /// @param most pieces that may be named and not landed
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

    /// Asks for a proxy, if a piece is left to be named, and a place for it.
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

    /// The content is here, except for its last copies: they end the receive.
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
            // The accelerator may copy for ever: the memory is never reused.
            unit.strand(tensor);
        } else if (handedOver || closed || cause != null) {
            // It may wait for the driver.
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
        // It is the last piece of the content whose copy begins.
        private boolean last;

        private void name(Proxy given) {
            proxy = given;
            name(given.region(), given.address(), (int) nextLength());
        }

        @Override
        public void onRefused(TransportException cause) {
            // First: this receiver may be the one that waits for the proxy, and is to name nothing else.
            fail(cause);
            giveBack();
            endIfDone();
        }

        /// It has landed, and is the receiver's alone.
        private void advance() {
            if (stopped) {
                giveBack();
            } else if (told.isPresent()) {
                if (number == nextToSum && summing == 0) {
                    sum();
                }
            } else if (delivered || begunBytes + length < bytes) {
                // The last copy ends the receive, so not before the request has ended.
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

        /// Brings the piece from its proxy to the accelerator.
        private final class Copy extends CopyTask {
            /// Nothing of this result comes behind the last piece in the stream.
            @Override
            protected boolean wantsToKnowWhenQueued() {
                return last && receive.options().delivery() == Delivery.QUEUED;
            }

            /// The user gets a handle of its own: the memory stays in use until the copy is done.
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
