package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// The sending half of the ring of control messages: encodes waiting messages into the next slot, as many as fit, and
/// writes the slot to the peer.
///
/// A slot is reused when the peer has acknowledged its write.
///
/// Owner: the loop.
public final class OutgoingRing {
    /// Twice the requests that a peer can have in progress.
    static final int MOST_ANSWERS = 2 * RequestIndex.SLOTS;
    /// Refusals lose their text if more than this many answers wait.
    private static final int EXPLAINED_ANSWERS = 1 << 12;

    private static final String REASON_DROPPED = "refused; the reason was dropped because too many answers were queued";

    private final RegisteredBuffer staging;
    private final long remoteAddress;
    private final int remoteKey;
    private final int slots;
    private final int slotBytes;
    private final int mostBytes;
    /// The waiting messages, oldest first. A [WindowGrant] among them cannot be encoded before its window is bound.
    private final ArrayDeque<OutgoingMessage> waiting = new ArrayDeque<>();
    // How many of `waiting` are answers to the peer's requests.
    private int waitingAnswers;
    private int nextSlot;
    private int freeSlots;
    private final CarriedContents carried;
    // Size of the slot that was filled last, and its first and last content.
    private int filledBytes;
    private @Nullable ContentWrite filledContents;
    private @Nullable ContentWrite lastContent;

    /// @param mostBytes usable bytes of a slot, at most `slotBytes`
    public OutgoingRing(RegisteredBuffer staging, RemoteRegion remote, int slots, int slotBytes, int mostBytes) {
        this.staging = staging;
        this.remoteAddress = remote.address();
        this.remoteKey = remote.remoteKey();
        this.slots = slots;
        this.slotBytes = slotBytes;
        this.mostBytes = mostBytes;
        this.freeSlots = slots;
        this.carried = new CarriedContents(slots);
    }

    public void enqueue(OutgoingMessage message) {
        if (message.isAnswer()) {
            waitingAnswers++;
            waiting.add(waitingAnswers > EXPLAINED_ANSWERS ? withoutReason(message) : message);
        } else {
            waiting.add(message);
        }
    }

    /// Puts a message before all other waiting messages.
    public void enqueueFirst(OutgoingMessage message) {
        waiting.addFirst(message);
    }

    /// Limits the waiting answers; called for every message that arrives. A compliant peer reuses a request index only
    /// after it has taken the last answer for it, so at most two answers for each index wait here. A peer that keeps
    /// sending requests and acknowledges just enough to stay alive would otherwise make the queue grow for ever.
    ///
    /// @throws ProtocolViolationException if more answers wait
    public void requireAnswersTaken() {
        if (waitingAnswers > MOST_ANSWERS) {
            throw new ProtocolViolationException(
                    "it does not accept the answers to its requests, and " + waitingAnswers + " are queued");
        }
    }

    /// Drops the explanatory text, which would be most of the queue's memory.
    private static OutgoingMessage withoutReason(OutgoingMessage answer) {
        return switch (answer) {
            case Message.ErrorStatus status ->
                new Message.ErrorStatus(
                        status.stepId(), status.requestIndex(), status.direction(), status.code(), REASON_DROPPED);
            case Message.EdgeStatus status ->
                new Message.EdgeStatus(
                        status.edge(), status.count(), status.direction(), status.code(), REASON_DROPPED);
            case Message.PartStatus status ->
                new Message.PartStatus(status.part(), status.direction(), status.code(), REASON_DROPPED);
            default -> answer;
        };
    }

    /// Posts messages as far as slots, receives at the peer and the send queue allow; returns how many.
    ///
    /// @param most no further slot is begun after this many messages
    public int pump(Lane control, int most) {
        int count = 0;
        while (count < most
                && freeSlots > 0
                && control.hasFreeSendSlot()
                && control.credits().maySend()) {
            OutgoingMessage first = peek();
            if (first == null) {
                break;
            }
            long slot = (long) nextSlot * slotBytes;
            nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
            freeSlots--;
            count += fill(slot, first);
            control.postMessage(
                    staging.address() + slot,
                    filledBytes,
                    staging.localKey(),
                    remoteAddress + slot,
                    remoteKey,
                    filledContents);
        }
        return count;
    }

    /// Encodes as many messages as fit into one slot; returns how many. A text is truncated only in the first message.
    private int fill(long slot, OutgoingMessage first) {
        MemorySegment ring = staging.segment();
        int count = 0;
        int last = 0;
        filledBytes = 0;
        filledContents = null;
        lastContent = null;
        OutgoingMessage next = first;
        try {
            do {
                int bytes = next.encode(ring, slot + filledBytes, mostBytes - filledBytes);
                if (count > 0) {
                    MessageCodec.markFollowed(ring, slot + last);
                }
                last = filledBytes;
                filledBytes += bytes;
                remove(next);
                count++;
                next = peek();
            } while (next != null && next.encodedSize() <= mostBytes - filledBytes);
        } catch (RuntimeException e) {
            // The memory of a content cannot be read: the other contents wait again, to be returned with the channel.
            ContentWrite content = filledContents;
            while (content != null) {
                waiting.addFirst(content);
                content = content.unchain();
            }
            throw e;
        }
        carried.slotFilled();
        return count;
    }

    private void append(ContentWrite content) {
        if (lastContent == null) {
            filledContents = content;
        } else {
            lastContent.nextOfSlot = content;
        }
        lastContent = content;
        carried.add(content.immediate);
    }

    private void remove(OutgoingMessage first) {
        waiting.remove();
        if (first.isAnswer()) {
            waitingAnswers--;
        }
        if (first instanceof ContentWrite content) {
            append(content);
        }
    }

    /// The next message that can be encoded, or null.
    private @Nullable OutgoingMessage peek() {
        while (!isIdle()) {
            OutgoingMessage next = waiting.element();
            if (!(next instanceof WindowGrant grant) || grant.state() == WindowGrant.State.BOUND) {
                return next;
            }
            // The request ended before its message was sent.
            waiting.remove();
        }
        return null;
    }

    /// Whether no message waits, or the first waits for a window.
    public boolean isIdle() {
        return waiting.isEmpty() || (waiting.peek() instanceof WindowGrant grant && grant.awaitsBind());
    }

    /// Records that the peer has taken `taken` more slots.
    public void onAcknowledged(int taken) {
        freeSlots += taken;
        carried.acknowledged(taken);
    }

    /// Adds the request indexes of the contents that were posted but that the peer has not acknowledged.
    public void addUnconfirmed(Collection<Integer> indexes) {
        carried.addTo(indexes);
    }

    /// Moves every waiting content, after the end of the queue pair.
    public void takeContents(Collection<ContentWrite> taken) {
        for (OutgoingMessage message : waiting) {
            if (message instanceof ContentWrite content) {
                taken.add(content);
            }
        }
        waiting.clear();
        waitingAnswers = 0;
    }
}
