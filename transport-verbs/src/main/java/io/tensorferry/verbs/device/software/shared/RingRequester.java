package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Requester;
import io.tensorferry.verbs.device.software.core.SendSlot;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Sends the requests of a queue pair through a [RingFile] that this end created.
///
/// Payload in a memory file is not touched here: the request carries its location, and the responder copies it directly
/// to its target. Short payload, and payload outside the memory files, is staged.
///
/// Threading: on the loop, except [#copy()].
public final class RingRequester implements RingEnd, Line, CopyJob {
    private static final int SEQUENCE_MASK = 0xFF_FFFF;
    /// Payload up to this length is staged even if it lies in a memory file: the additional copy is cheap, because the
    /// bytes are in both processors' caches.
    private static final long SHORT_BYTES = 512;

    private final SharedMemory sharedMemory;
    private final SoftwareQueuePair queuePair;
    private final Requester requester;
    private final int line;
    private final Arena arena = Arena.ofShared();
    private final MemoryFile ringMemory;
    private final RingFile ring;
    private final StagedStream staging;
    private final StagedStream reads;
    private final Request request = new Request();
    private final int firstSequence;
    private Runnable broken = () -> {};
    private @Nullable PeerDevice peer;
    private int peerLine;
    private boolean ended;

    private final RequestWriter requests;
    private final AnswerReader answers;
    /// Count of the answered requests.
    private long answered;
    private long staged;
    /// All staged bytes before this count were consumed when the last payload began to be staged.
    private long stagedFloor;

    /// The request whose payload is being staged.
    private @Nullable SendSlot streaming;

    private long streamed;
    /// Whether the copy thread stages the payload.
    private boolean handedOver;
    private long piece;

    private final OutstandingReads outstandingReads = new OutstandingReads();
    private @Nullable SendSlot reading;
    private long readDone;
    private long readHead;

    /// @throws IOException if the system provides no memory for the ring
    RingRequester(SharedMemory memory, SoftwareQueuePair queuePair, int line) throws IOException {
        this.sharedMemory = memory;
        this.queuePair = queuePair;
        this.requester = queuePair.requester();
        this.line = line;
        this.firstSequence = requester.nextSequence();
        try {
            this.ringMemory = RingFile.create(sharedMemory.number(), line, arena);
        } catch (IOException failure) {
            arena.close();
            throw failure;
        }
        this.ring = RingFile.of(ringMemory);
        this.requests = new RequestWriter(ring);
        this.answers = new AnswerReader(ring);
        this.staging = new StagedStream(ring.memory(), RingFile.AT_STAGING, RingFile.STAGING_BYTES);
        this.reads = new StagedStream(ring.memory(), RingFile.AT_READS, RingFile.READ_BYTES);
    }

    @Override
    public void putOffer(ByteBuffer frame) {
        sharedMemory.offer(ringMemory.descriptor(), line).put(frame);
    }

    @Override
    public void whenBroken(Runnable action) {
        broken = action;
    }

    /// Handles the peer's acceptance of the offer; `frame` is its answer.
    ///
    /// @return false if the frame is invalid, or the peer's memory cannot be mapped
    public boolean accepted(ByteBuffer frame) {
        Offer offer = Offer.read(frame);
        if (!offer.isPlausible()) {
            return false;
        }
        try {
            peer = sharedMemory.peer(offer);
            peerLine = offer.line();
            return true;
        } catch (IOException failure) {
            sharedMemory.report(queuePair, offer, failure);
            return false;
        }
    }

    @Override
    public void rung() {
        takeLast();
        proceed();
    }

    @Override
    public void proceed() {
        if (ended || peer == null) {
            return;
        }
        try {
            takeRequests();
            publish();
        } catch (IllegalStateException | IndexOutOfBoundsException gone) {
            // The application closed an arena before the region in it.
            broken.run();
        }
    }

    private void takeRequests() {
        while (!ended && !handedOver) {
            if (streaming != null) {
                if (!stage()) {
                    return;
                }
            } else if (requests.hasRoom()) {
                SendSlot slot = requester.next();
                if (slot == null) {
                    return;
                }
                put(slot);
            } else {
                return;
            }
        }
    }

    private void put(SendSlot slot) {
        slot.describe(request);
        int kind = RequestKind.of(slot.opcode) | (slot.signaled ? 0 : RingFile.QUIET);
        if (slot.isRead()) {
            outstandingReads.add(requests.sent(), slot.length);
        } else if (slot.region != null) {
            OwnFiles.Mapped file =
                    slot.length <= SHORT_BYTES ? null : sharedMemory.files().find(slot.localAddress, slot.length);
            if (file != null) {
                kind |= RingFile.IN_FILE;
                requests.putInFile(slot.localAddress - file.start(), file.place(), file.number());
            } else {
                kind |= RingFile.STAGED;
                beginStaging(slot);
                requests.putStaged(staged);
            }
        }
        requests.put(kind, request);
    }

    private void beginStaging(SendSlot slot) {
        long taken = Math.max(stagedFloor, ring.stagedHead());
        if (taken == staged || staged == stagedFloor) {
            // The stream is empty. Start again at its beginning, so that short messages reuse the same few pages.
            staged = staged + RingFile.STAGING_BYTES - 1 & -RingFile.STAGING_BYTES;
            stagedFloor = staged;
        } else {
            staged = StagedStream.align(staged);
        }
        streaming = slot;
        streamed = 0;
    }

    /// Stages as much payload as there is room for.
    ///
    /// @return whether to continue with other requests
    private boolean stage() {
        SendSlot slot = streaming;
        if (slot == null) {
            return true;
        }
        if (slot.length > SharedMemory.LONG_BYTES) {
            // Publish the request first, so that the responder takes the staged bytes.
            publish();
            handedOver = true;
            sharedMemory.copyThread().add(this);
            return false;
        }
        if (!chooseStagedPiece()) {
            return false;
        }
        copy();
        pieceStaged();
        return streaming == null;
    }

    private boolean chooseStagedPiece() {
        SendSlot slot = streaming;
        if (ended || slot == null) {
            return false;
        }
        PayloadMemory memory = slot.region;
        if (memory == null || !memory.isOpen()) {
            requester.failLocally();
            return false;
        }
        piece = requests.stagedRoom(staged, stagedFloor, slot.length - streamed);
        if (piece < 0) {
            broken.run();
            return false;
        }
        return piece > 0;
    }

    @Override
    public void copy() {
        SendSlot slot = streaming;
        if (slot != null && slot.region != null) {
            staging.put(staged, slot.region, slot.localAddress + streamed, piece);
        }
    }

    private void pieceStaged() {
        SendSlot slot = streaming;
        if (slot == null) {
            return;
        }
        sharedMemory.counters().addCopied(piece);
        staged += piece;
        streamed += piece;
        ring.setStagedTail(staged);
        if (streamed == slot.length) {
            streaming = null;
        }
    }

    @Override
    public boolean begin() {
        if (ended) {
            return false;
        }
        boolean chosen = chooseStagedPiece();
        if (!chosen) {
            // The peer signals when there is room.
            handedOver = false;
        }
        return chosen;
    }

    @Override
    public boolean done(boolean copied) {
        if (ended) {
            return false;
        }
        if (!copied) {
            broken.run();
            return false;
        }
        pieceStaged();
        ringPeer();
        if (streaming != null) {
            return true;
        }
        handedOver = false;
        proceed();
        return false;
    }

    private void publish() {
        if (!ended && requests.publish()) {
            ringPeer();
        }
    }

    private void ringPeer() {
        PeerDevice to = peer;
        if (to != null) {
            to.file().mark(peerLine);
            to.file().wake();
        }
    }

    @Override
    public void takeLast() {
        if (ended || peer == null) {
            return;
        }
        try {
            answers.read();
            long refusal = answers.refusal();
            if (!takeAnswers(answers.executed())) {
                broken.run();
            } else if (!ended && refusal != 0 && !refuse(refusal)) {
                broken.run();
            }
        } catch (IllegalStateException | IndexOutOfBoundsException gone) {
            broken.run();
        }
    }

    private boolean refuse(long number) {
        WorkStatus status = number < 0 || number > Integer.MAX_VALUE ? null : WorkStatus.ofNumber((int) number);
        return switch (status) {
            case REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR, RNR_RETRY_EXC_ERR ->
                requester.refuse(sequence(answered), status);
            case null, default -> false;
        };
    }

    private int sequence(long count) {
        return (int) (firstSequence + count) & SEQUENCE_MASK;
    }

    /// @return false if the count is invalid
    private boolean takeAnswers(long executed) {
        if (executed < answered || executed > requests.published()) {
            return false;
        }
        while (!ended) {
            long read = outstandingReads.oldest();
            long target = Math.min(executed, read);
            if (target > answered) {
                answered = target;
                if (!requester.acknowledge(sequence(target - 1))) {
                    return false;
                }
            } else if (read == answered && (reading != null || executed > read || answers.readTail() != readHead)) {
                if (!takeReadData(executed)) {
                    return false;
                }
                if (reading != null) {
                    return true;
                }
            } else {
                return true;
            }
        }
        return true;
    }

    /// Takes the available data of the oldest READ.
    private boolean takeReadData(long executed) {
        SendSlot slot = reading;
        if (slot == null) {
            slot = requester.answeredRead(sequence(answered), outstandingReads.oldestLength());
            if (slot == null) {
                return false;
            }
            reading = slot;
            readDone = 0;
        }
        long come = answers.readTail() - readHead;
        if (come < 0 || come > RingFile.READ_BYTES) {
            return false;
        }
        long count = Math.min(come, slot.length - readDone);
        PayloadMemory memory = slot.region;
        if (memory != null && count > 0) {
            if (!memory.isOpen()) {
                requester.failLocally();
                return true;
            }
            reads.take(readHead, memory, slot.localAddress + readDone, count);
            sharedMemory.counters().addCopied(count);
            readHead += count;
            readDone += count;
            ring.setReadHead(readHead);
            ringPeer();
        }
        if (readDone < slot.length) {
            // All data must arrive before the count shows the READ as executed.
            return executed == answered || count > 0;
        }
        if (executed == answered) {
            // The data arrived before the count shows the READ as executed. If the READ completed now, the count of a
            // slow peer would seem to go backwards.
            return true;
        }
        reading = null;
        outstandingReads.remove();
        answered++;
        return requester.acknowledge(slot.sequence);
    }

    @Override
    public void end() {
        if (ended) {
            return;
        }
        ended = true;
        ring.revoke();
        if (handedOver) {
            sharedMemory.awaitCopies();
        }
        sharedMemory.removeLine(line);
        PeerDevice to = peer;
        if (to != null) {
            sharedMemory.release(to);
        }
        arena.close();
    }
}
