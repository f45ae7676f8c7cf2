package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Responder;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A peer's requests, one after the other, out of a [RingFile] that the peer made. This end copies payload from the
/// peer's memory into its own, after it has checked the request as any other: the peer writes nothing here.
///
/// What is read of a request is read once. Payload out of a memory file counts only if the peer has not revoked it by
/// the time that it is copied.
///
/// Threading: on the loop, but for [#copy()].
final class RingResponder implements RingEnd, Line, CopyJob {
    private static final int REQUESTS_AT_ONCE = 64;
    private static final long MAX_LENGTH = 0xFFFF_FFFFL;

    private enum State {
        /// Takes the next request.
        READY,
        /// Moves the payload of a request.
        MOVING,
        /// The request waits for a posted receive.
        HELD,
        /// Sends the data of a READ.
        ANSWERING_READ,
        ENDED
    }

    private final SharedMemory sharedMemory;
    private final Responder responder;
    private final int rnrRetry;
    private final PeerDevice peer;
    private final int peerLine;
    private final int line;
    private final Arena arena = Arena.ofShared();
    private final RingFile ring;
    private final StagedStream staging;
    private final StagedStream reads;
    private final Request request = new Request();
    private Runnable broken = () -> {};
    private State state = State.READY;

    private long head;
    private long stagedHead;
    private long executed;
    private long readTail;
    private boolean quiet;
    private boolean changed;
    /// Whether the peer waits for what changed.
    private boolean awaited;

    /// Where the payload lies; null if it is staged.
    private @Nullable MemorySegment source;
    private long sourceStart;
    private long moved;
    /// Whether the copying thread moves it, and the piece that it is at.
    private boolean handedOver;
    private long piece;

    /// @throws IOException if the peer's ring cannot be mapped
    RingResponder(
            SharedMemory memory, SoftwareQueuePair queuePair, int rnrRetry, PeerDevice peer, Offer offer, int line)
            throws IOException {
        this.sharedMemory = memory;
        this.responder = queuePair.responder();
        this.rnrRetry = rnrRetry;
        this.peer = peer;
        this.peerLine = offer.line();
        this.line = line;
        try {
            this.ring = RingFile.open(offer, arena);
        } catch (IOException failure) {
            arena.close();
            throw failure;
        }
        this.staging = new StagedStream(ring.memory(), RingFile.AT_STAGING, RingFile.STAGING_BYTES);
        this.reads = new StagedStream(ring.memory(), RingFile.AT_READS, RingFile.READ_BYTES);
    }

    @Override
    public void putOffer(ByteBuffer frame) {
        sharedMemory.offer(0, line).put(frame);
    }

    @Override
    public void whenBroken(Runnable action) {
        broken = action;
    }

    @Override
    public void rung() {
        takeLast();
    }

    @Override
    public void takeLast() {
        try {
            takeRequests();
            publish();
        } catch (IllegalStateException | IndexOutOfBoundsException | InternalError gone) {
            // The application ended an arena before the region in it; or a page of the peer's cannot be had.
            fail();
        }
    }

    private void takeRequests() {
        for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
            boolean goOn = !handedOver
                    && switch (state) {
                        case READY -> takeRequest();
                        case MOVING -> move();
                        case ANSWERING_READ -> sendReadData();
                        case HELD, ENDED -> false;
                    };
            if (!goOn) {
                return;
            }
        }
        sharedMemory.again(line);
    }

    private void fail() {
        if (state != State.ENDED) {
            broken.run();
        }
    }

    private boolean takeRequest() {
        long waiting = ring.tail() - head;
        if (waiting == 0) {
            return false;
        }
        if (waiting < 0 || waiting > RingFile.REQUESTS || !readRequest(RingFile.request(head))) {
            fail();
            return false;
        }
        head++;
        changed = true;
        proceedWith(responder.admit(request));
        return true;
    }

    /// @return false if it makes no sense
    private boolean readRequest(long at) {
        int kind = ring.getInt(at);
        SendWorkRequest.Opcode opcode = RequestKind.opcode(kind);
        if (opcode == null) {
            return false;
        }
        request.opcode = opcode;
        request.sequence = ring.getInt(at + 4);
        request.remoteKey = ring.getInt(at + 8);
        request.immediate = ring.getInt(at + 12);
        request.remoteAddress = ring.getLong(at + 16);
        request.length = ring.getLong(at + 24);
        long place = ring.getLong(at + 32);
        boolean hasPayload = request.length > 0 && opcode != SendWorkRequest.Opcode.RDMA_READ;
        if (request.length < 0
                || request.length > MAX_LENGTH
                || request.sequence != responder.expectedSequence()
                || hasPayload != ((kind & (RingFile.STAGED | RingFile.IN_FILE)) != 0)) {
            return false;
        }
        quiet = (kind & RingFile.QUIET) != 0;
        source = null;
        sourceStart = place;
        moved = 0;
        if ((kind & RingFile.IN_FILE) != 0) {
            source = peer.memory(ring.getInt(at + 40), ring.getLong(at + 48), place, request.length);
            return source != null;
        }
        // The stream goes on where the last payload ended, or a little later.
        return !hasPayload || (place >= stagedHead && place - stagedHead <= RingFile.STAGING_BYTES);
    }

    private void proceedWith(Responder.Verdict verdict) {
        switch (verdict) {
            case ADMITTED -> beginPayload();
            case EXECUTED -> {
                state = State.READY;
                executed++;
                changed = true;
                awaited |= !quiet;
            }
            case NOT_READY -> hold();
            case REFUSED -> refuse();
        }
    }

    private void beginPayload() {
        PayloadMemory memory = responder.memory();
        if (request.opcode == SendWorkRequest.Opcode.RDMA_READ) {
            beginReadData(memory);
        } else if (memory != null) {
            state = State.MOVING;
        } else {
            proceedWith(responder.finish(request));
        }
    }

    /// Moves a short payload, or what has come of it; hands a long one over to the copyThread.
    ///
    /// @return whether to go on
    private boolean move() {
        if (request.length > SharedMemory.LONG_BYTES) {
            handedOver = true;
            sharedMemory.copyThread().add(this);
            return false;
        }
        if (!choosePiece()) {
            return false;
        }
        copy();
        pieceMoved();
        return true;
    }

    private boolean choosePiece() {
        PayloadMemory memory = responder.memory();
        if (state != State.MOVING || memory == null) {
            return false;
        }
        if (!memory.isOpen()) {
            proceedWith(responder.revoke(request));
            return false;
        }
        long left = request.length - moved;
        if (source != null) {
            piece = Math.min(left, SharedMemory.PIECE_BYTES);
            if (ring.isRevoked()) {
                fail();
                return false;
            }
            return true;
        }
        long come = ring.stagedTail() - (sourceStart + moved);
        if (come > RingFile.STAGING_BYTES) {
            fail();
            return false;
        }
        // Before the beginning of this payload, if the request came first.
        piece = Math.min(left, Math.max(0, come));
        return piece > 0;
    }

    @Override
    public void copy() {
        PayloadMemory memory = responder.memory();
        MemorySegment from = source;
        if (memory == null) {
            return;
        }
        if (from == null) {
            staging.take(sourceStart + moved, memory, responder.address() + moved, piece);
        } else {
            memory.put(responder.address() + moved, from, sourceStart + moved, piece);
        }
    }

    private void pieceMoved() {
        moved += piece;
        if (source == null) {
            sharedMemory.counters().addCopied(piece);
            stagedHead = sourceStart + moved;
            changed = true;
        } else {
            sharedMemory.counters().addShared(piece);
        }
        if (moved < request.length) {
            return;
        }
        if (source != null && ring.isRevoked()) {
            fail();
        } else {
            proceedWith(responder.finish(request));
        }
    }

    @Override
    public boolean begin() {
        if (state == State.ENDED) {
            return false;
        }
        boolean chosen = choosePiece();
        if (!chosen) {
            // The peer rings when more is staged.
            handedOver = false;
            publish();
        }
        return chosen;
    }

    @Override
    public boolean done(boolean copied) {
        if (state == State.ENDED) {
            return false;
        }
        if (!copied) {
            fail();
            return false;
        }
        pieceMoved();
        if (state == State.MOVING) {
            publish();
            return true;
        }
        handedOver = false;
        takeLast();
        return false;
    }

    private void beginReadData(@Nullable PayloadMemory memory) {
        // The data acknowledge what is before them.
        publish();
        moved = 0;
        state = State.ANSWERING_READ;
        if (memory == null) {
            finishReadData();
        }
    }

    /// @return whether to go on
    private boolean sendReadData() {
        PayloadMemory memory = responder.memory();
        if (memory == null || !memory.isOpen()) {
            fail();
            return false;
        }
        long room = RingFile.READ_BYTES - (readTail - ring.readHead());
        if (room < 0 || room > RingFile.READ_BYTES) {
            fail();
            return false;
        }
        long count = Math.min(room, request.length - moved);
        if (count > 0) {
            reads.put(readTail, memory, responder.address() + moved, count);
            sharedMemory.counters().addCopied(count);
            readTail += count;
            moved += count;
            ring.setReadTail(readTail);
            changed = true;
            awaited = true;
        }
        if (moved == request.length) {
            finishReadData();
            return true;
        }
        publish();
        return false;
    }

    private void finishReadData() {
        proceedWith(responder.finish(request));
        awaited = true;
    }

    private void hold() {
        state = State.HELD;
        publish();
        if (!responder.awaitReceive(rnrRetry, this::proceed)) {
            refuse();
        }
    }

    @Override
    public void proceed() {
        if (state == State.HELD) {
            state = State.READY;
            proceedWith(responder.retry(request));
            takeLast();
        }
    }

    /// The peer is told, this direction ends, and then this side's queue pair fails, if it must.
    private void refuse() {
        publish();
        ring.setRefusal(responder.refusal().number());
        peer.file().mark(peerLine);
        peer.file().wake();
        fail();
        responder.refuse(request);
    }

    /// Makes known what was taken and executed.
    private void publish() {
        if (!changed || state == State.ENDED) {
            return;
        }
        changed = false;
        ring.setHead(head);
        ring.setStagedHead(stagedHead);
        ring.setExecuted(executed);
        peer.file().mark(peerLine);
        // After what it says of room: the requester looks at that again after it set the flag.
        if (awaited || ring.wantsRoom()) {
            awaited = false;
            peer.file().wake();
        }
    }

    @Override
    public void end() {
        if (state == State.ENDED) {
            return;
        }
        // Answers that were given go out.
        publish();
        state = State.ENDED;
        if (handedOver) {
            sharedMemory.awaitCopies();
        }
        sharedMemory.removeLine(line);
        sharedMemory.release(peer);
        arena.close();
    }
}
