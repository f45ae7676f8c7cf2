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

/// Processes the peer's writes into a channel: takes the immediates, reads the messages, and calls the handlers.
/// Ignores a peer that has violated the protocol.
///
/// A slot may hold more messages than the turn's budget allows. Then it stays open, and [#goOn()] must read the rest
/// before the next completion is taken. Its immediate counts as received when the last message is read, so that the
/// peer does not overwrite the slot before.
///
/// Owner: the loop.
final class Arrivals {
    private final RdmaChannel channel;
    private final ChannelHandlers handlers;
    private final ChannelCounters counters;
    private final IncomingRing incoming;
    private final Lane control;
    /// The ring whose slots the peer's acknowledgements free.
    private final OutgoingRing outgoing;
    /// The contents that arrive over several lanes.
    private final Striping striping;

    private final TurnBudget work;
    private boolean distrusted;
    // The slot with messages that are not read yet.
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

    /// Whether the peer violated the protocol. Nothing that it sends is processed any more.
    boolean areDistrusted() {
        return distrusted;
    }

    /// Handles a receive that has completed and is posted again. Returns the reason to end the channel, or null.
    ///
    /// @param control whether the receive is the control queue pair's
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

    /// Discards the open slot after a message in it could not be handled.
    void dropSlot() {
        open = null;
    }

    /// Reads the remaining messages of the open slot, as far as the budget allows. Returns the reason to end the
    /// channel, or null.
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
        return new ProtocolViolationException("it sent more than its credits allow");
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

    /// Reads the slot's remaining messages, as far as the budget allows.
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
                // A heartbeat carries nothing; its arrival is enough.
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
