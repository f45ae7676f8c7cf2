package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.channel.lane.IncomingRing;
import io.tensorferry.verbs.channel.lane.Lane;
import io.tensorferry.verbs.channel.lane.OutgoingRing;
import io.tensorferry.verbs.channel.lane.Striping;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.MalformedMessageException;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.SlotReader;
import org.jspecify.annotations.Nullable;

/// What the peer writes into a channel: takes the immediates, reads the messages, and tells the handlers. A peer that
/// breaks the protocol is listened to no longer.
///
/// A slot may hold more messages than the turn has work left for. Then it stays open, and [#goOn()] has to read the
/// rest before the next completion is taken. Its immediate counts as received when the last message is read, so that
/// the
/// peer does not write the slot again before.
///
/// Owner: the loop.
final class Arrivals {
    private final RdmaChannel channel;
    private final ChannelHandlers handlers;
    private final ChannelCounters counters;
    private final IncomingRing incoming;
    private final Lane control;
    /// Whose slots the peer's acknowledgements free.
    private final OutgoingRing outgoing;
    /// Which contents come over several lanes.
    private final Striping striping;

    private final TurnBudget work;
    private boolean distrusted;
    // The slot that is not read to its end.
    private @Nullable SlotReader open;

    Arrivals(
            RdmaChannel channel,
            ChannelHandlers handlers,
            ChannelCounters counters,
            IncomingRing incoming,
            TurnBudget work) {
        this.channel = channel;
        this.handlers = handlers;
        this.counters = counters;
        this.incoming = incoming;
        this.control = channel.lanes().getFirst();
        this.outgoing = channel.outgoing();
        this.striping = channel.striping();
        this.work = work;
    }

    /// Whether the peer broke the protocol: nothing that it sends is looked at any more.
    boolean areDistrusted() {
        return distrusted;
    }

    /// A receive has completed, and is posted again; returns why the channel must end, or null.
    ///
    /// @param control whether it is the control queue pair's
    @Nullable
    ChannelFailure on(Lane lane, boolean control, WorkCompletion completion) {
        try {
            if (!completion.hasImmediate()) {
                throw new ProtocolViolationException("a message without an immediate arrived");
            }
            take(lane, control, completion.immediate());
            return null;
        } catch (MalformedMessageException e) {
            return onMalformed(e);
        } catch (ProtocolViolationException e) {
            return onViolation(e);
        }
    }

    /// Gives up the slot that was left open: a message of it could not be handled.
    void dropSlot() {
        open = null;
    }

    /// Reads the messages of the slot that was left open, as far as there is work left; returns why the channel must
    /// end, or null.
    @Nullable
    ChannelFailure goOn() {
        SlotReader slot = open;
        if (slot == null) {
            return null;
        }
        try {
            read(slot);
            return null;
        } catch (MalformedMessageException e) {
            return onMalformed(e);
        } catch (ProtocolViolationException e) {
            return onViolation(e);
        }
    }

    private ChannelFailure onMalformed(MalformedMessageException e) {
        distrusted = true;
        open = null;
        counters.malformedMessages.increment();
        return ChannelFailure.ofMalformedMessage(channel.peer(), e);
    }

    private ChannelFailure onViolation(ProtocolViolationException e) {
        distrusted = true;
        open = null;
        counters.protocolViolations.increment();
        return ChannelFailure.ofViolation(channel.peer(), e);
    }

    private void take(Lane lane, boolean control, int immediate) {
        if (immediate == Immediate.ACKNOWLEDGEMENT) {
            int messages = lane.onAcknowledgement();
            if (control) {
                outgoing.onAcknowledged(messages);
            }
            count(lane);
            return;
        }
        if (control) {
            onControlImmediate(immediate);
        } else {
            count(lane);
            onContentImmediate(immediate, lane.index());
        }
    }

    private static void count(Lane lane) {
        if (!lane.credits().received()) {
            throw ofTooMuch();
        }
    }

    private static ProtocolViolationException ofTooMuch() {
        return new ProtocolViolationException("it sent more than it was allowed to");
    }

    private void onControlImmediate(int immediate) {
        if (!control.credits().mayReceive()) {
            throw ofTooMuch();
        }
        if (immediate != Immediate.CONTROL_MESSAGE) {
            throw new ProtocolViolationException(
                    "immediate " + Integer.toHexString(immediate) + " does not belong on the control queue pair");
        }
        SlotReader slot = incoming.openSlot();
        open = slot;
        take(slot);
        read(slot);
    }

    /// Reads the messages that are left of the slot, as far as there is work left.
    private void read(SlotReader slot) {
        while (slot.hasMore() && work.isLeft()) {
            work.spend();
            take(slot);
        }
        if (!slot.hasMore()) {
            open = null;
            count(control);
        }
    }

    private void take(SlotReader slot) {
        SlotReader.Kind kind = slot.next();
        outgoing.requireAnswersTaken();
        counters.messagesReceived.increment();
        switch (kind) {
            case REPEATED_REQUEST -> handlers.transfers().onRepeatedRequest(channel, slot);
            case TENSOR_CONTENT -> handlers.transfers().onCarriedContent(channel, slot);
            case EDGE_CREDIT -> handlers.edges().onCredit(channel, slot.edge(), slot.edgeCount());
            case OTHER -> onMessage(slot.message());
        }
    }

    private void onMessage(Message message) {
        switch (message) {
            case Message.Heartbeat _ -> {
                // That it came is all that it says.
            }
            case Message.Resumed _ -> {
                handlers.transfers().onMessage(channel, message);
                handlers.edges().onResumed(channel);
            }
            case Message.OfEdge ofEdge -> handlers.edges().onMessage(channel, ofEdge);
            case Message.OfPart ofPart -> handlers.parts().onMessage(channel, ofPart);
            default -> handlers.transfers().onMessage(channel, message);
        }
    }

    private void onContentImmediate(int immediate, int lane) {
        if (Immediate.isEdge(immediate)) {
            handlers.edges().onEdgeContent(channel, Immediate.edge(immediate), lane);
            return;
        }
        if (!Immediate.isRequestIndex(immediate)) {
            throw new ProtocolViolationException(
                    "immediate " + Integer.toHexString(immediate) + " does not belong on a data lane");
        }
        if (striping.arrived(immediate, lane)) {
            handlers.transfers().onContent(channel, immediate, lane);
        }
    }
}
