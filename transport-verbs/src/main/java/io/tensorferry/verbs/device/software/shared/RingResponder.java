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

/// Executes a peer's requests in order, from a [RingFile] that the peer created. This end checks each request and then
/// copies payload from the peer's memory into its own. The peer never writes to this side's memory.
///
/// Each field of a request is read once. Payload from a memory file is valid only if the peer has not revoked it by the
/// end of the copy.
///
/// Threading: on the loop, except [#copy()].
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
    private final int line;
    private final Arena arena = Arena.ofShared();
    private final RingFile ring;
    private final RequestReader requests;
    private final AnswerWriter answers;
    private final StagedStream staging;
    private final StagedStream reads;
    private final Request request = new Request();
    private Runnable broken = () -> {};
    private State state = State.READY;

    private long stagedHead;
    private long executed;
    private long readTail;
    private boolean quiet;
    private boolean changed;
    /// Whether the peer waits for the changes.
    private boolean awaited;

    /// The memory that holds the payload; null if it is staged.
    private @Nullable MemorySegment source;
    private long sourceStart;
    private long moved;
    /// Whether the copy thread moves the payload.
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
        this.line = line;
        try {
            this.ring = RingFile.open(offer, arena);
        } catch (IOException failure) {
            arena.close();
            throw failure;
        }
        this.requests = new RequestReader(ring);
        this.answers = new AnswerWriter(ring, peer.file(), offer.line());
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
            // The application closed an arena before the region in it, or a page of the peer's file is unavailable.
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
        long waiting = requests.waiting();
        if (waiting == 0) {
            return false;
        }
        if (waiting < 0 || waiting > RingFile.REQUESTS || !readRequest()) {
            fail();
            return false;
        }
        requests.take();
        changed = true;
        proceedWith(responder.admit(request));
        return true;
    }

    /// @return false if the request is invalid
    private boolean readRequest() {
        int kind = requests.kind();
        SendWorkRequest.Opcode opcode = RequestKind.opcode(kind);
        if (opcode == null) {
            return false;
        }
        request.opcode = opcode;
        requests.read(request);
        long place = requests.place();
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
            source = peer.memory(requests.fileIndex(), requests.fileNumber(), place, request.length);
            return source != null;
        }
        // The payload begins at the end of the last payload in the stream, or after some padding.
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

    /// Moves the available part of a short payload; hands a long payload over to the copy thread.
    ///
    /// @return whether to continue
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
        // The difference is negative if the request arrived before the beginning of its payload.
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
            // The peer signals when more is staged.
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
        // READ data acknowledge all earlier requests, so those go out first.
        publish();
        moved = 0;
        state = State.ANSWERING_READ;
        if (memory == null) {
            finishReadData();
        }
    }

    /// @return whether to continue
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

    /// Sends the refusal to the peer, ends this direction, and then fails this side's queue pair if the refusal
    /// requires it.
    private void refuse() {
        publish();
        answers.refuse(responder.refusal().number());
        peer.file().wake();
        fail();
        responder.refuse(request);
    }

    /// Publishes the counts of taken and executed requests.
    private void publish() {
        if (!changed || state == State.ENDED) {
            return;
        }
        changed = false;
        if (answers.publish(requests.head(), stagedHead, executed, awaited)) {
            awaited = false;
            peer.file().wake();
        }
    }

    @Override
    public void end() {
        if (state == State.ENDED) {
            return;
        }
        // Publish the answers already given.
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
