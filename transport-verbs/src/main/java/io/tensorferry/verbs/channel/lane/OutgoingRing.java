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

/// The sending half of the ring of control messages: encodes what waits into the next slot, as many messages as fit,
/// and writes it to the same slot at the peer.
///
/// A slot is used again when the peer has acknowledged its write.
///
/// Owner: the loop.
public final class OutgoingRing {
    /// Twice the requests that a peer can have under way.
    static final int MOST_ANSWERS = 2 * RequestIndex.SLOTS;
    /// Refusals behind so many others lose their text.
    private static final int EXPLAINED_ANSWERS = 1 << 12;

    private static final String REASON_DROPPED = "refused; too many answers waited to keep the reason";

    private final RegisteredBuffer staging;
    private final RemoteRegion remote;
    private final int slots;
    private final int slotBytes;
    private final int mostBytes;
    /// Those that wait, oldest first. A [WindowGrant] among them is none before its window is bound.
    private final ArrayDeque<OutgoingMessage> waiting = new ArrayDeque<>();
    // How many of those that wait are answers to the peer's requests.
    private int waitingAnswers;
    private int nextSlot;
    private int freeSlots;
    private final CarriedContents carried;
    // Of the slot that was filled last; of its contents the first and the last.
    private int filledBytes;
    private @Nullable ContentWrite filledContents;
    private @Nullable ContentWrite lastContent;

    /// @param mostBytes of a slot that may be used, at most `slotBytes`
    public OutgoingRing(RegisteredBuffer staging, RemoteRegion remote, int slots, int slotBytes, int mostBytes) {
        this.staging = staging;
        this.remote = remote;
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

    /// Puts a message before all others that wait.
    public void enqueueFirst(OutgoingMessage message) {
        waiting.addFirst(message);
    }

    /// Called for every message that arrives. A peer that keeps the rules asks anew under an index only when it has
    /// taken the last answer to it, so never more than two for each wait here. One that asks and asks, and acknowledges
    /// just enough to stay alive, would have the queue grow for ever.
    ///
    /// @throws ProtocolViolationException if more answers wait
    public void requireAnswersTaken() {
        if (waitingAnswers > MOST_ANSWERS) {
            throw new ProtocolViolationException(
                    "it does not take the answers to its requests, and " + waitingAnswers + " wait");
        }
    }

    /// The text that tells a person why would be most of what waits.
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
    /// @param most no further slot is begun when there are so many
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
                    remote.address() + slot,
                    remote.remoteKey(),
                    filledContents);
        }
        return count;
    }

    /// Takes as many messages as have room in one slot; returns how many. A text is cut only where it comes first.
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
            // The memory of a content cannot be read: the others wait again, to be given back with the channel.
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

    /// The next message that may go; null if there is none.
    private @Nullable OutgoingMessage peek() {
        while (!isIdle()) {
            OutgoingMessage next = waiting.element();
            if (!(next instanceof WindowGrant grant) || grant.state() == WindowGrant.State.BOUND) {
                return next;
            }
            // Its request has ended before it was asked.
            waiting.remove();
        }
        return null;
    }

    /// Whether nothing waits, or only for a window.
    public boolean isIdle() {
        return waiting.isEmpty() || (waiting.peek() instanceof WindowGrant grant && grant.awaitsBind());
    }

    /// The peer has taken so many slots more.
    public void onAcknowledged(int taken) {
        freeSlots += taken;
        carried.acknowledged(taken);
    }

    /// Adds the request indexes of the contents that were posted and of which the peer has not said that it took them.
    public void addUnconfirmed(Collection<Integer> indexes) {
        carried.addTo(indexes);
    }

    /// Moves every content that waits; the queue pair is gone.
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
