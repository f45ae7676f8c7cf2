package io.tensorferry.verbs.edge;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The edges between this worker and one peer, in both directions. This worker assigns numbers to its incoming edges.
/// Outgoing edges are found by key when the peer offers them, and by the peer's numbers afterwards.
///
/// Owner: the loop.
final class PeerEdges {
    // Bounds the final statuses of producers' ends, kept for consumers that lost the channel before they received them.
    private static final int MOST_LAST_WORDS = 4096;

    private final String name;
    private final String workerName;
    private final EdgeTable<ReceivingEnd> receivers = new EdgeTable<>();
    private final BitSet numbers = new BitSet();
    private final EdgeTable<SendingEnd> accepted = new EdgeTable<>();
    private final Map<String, SendingEnd> senders = new HashMap<>();
    // Offers on the open channel that wait until this worker opens its end.
    private final Map<String, Message.Opening> parked = new LinkedHashMap<>();
    private final EdgeTable<Message.Opening> parkedByNumber = new EdgeTable<>();
    private final Map<String, LastWord> lastWords = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LastWord> eldest) {
            return size() > MOST_LAST_WORDS;
        }
    };
    private @Nullable RdmaChannel channel;
    // The reason why offers are refused, once this worker is stopping.
    private @Nullable TransportException stopped;

    PeerEdges(String name, String workerName) {
        this.name = name;
        this.workerName = workerName;
    }

    String name() {
        return name;
    }

    void open(ReceivingEnd end) {
        int free = numbers.nextClearBit(0);
        if (free >= Immediate.EDGES) {
            end.refuse(new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "this worker already has " + Immediate.EDGES + " edges from " + name));
            return;
        }
        numbers.set(free);
        receivers.put(free, end);
        end.start(free);
    }

    void forget(ReceivingEnd end, int number) {
        // A refused end has no number.
        if (number >= 0 && end.equals(receivers.get(number))) {
            receivers.put(number, null);
            numbers.clear(number);
        }
    }

    void open(SendingEnd end) {
        senders.put(end.key(), end);
        acceptParked(end);
    }

    private void acceptParked(SendingEnd end) {
        RdmaChannel open = channel;
        Message.Opening offer = parked.get(end.key());
        if (offer != null && open != null) {
            unpark(offer);
            accept(open, end, offer);
        }
    }

    /// @param lastWord the answer if the consumer offers again; null if this end was never accepted
    void forget(SendingEnd end, int number, @Nullable LastWord lastWord) {
        senders.remove(end.key(), end);
        if (lastWord != null) {
            lastWords.put(end.key(), lastWord);
            if (end.equals(accepted.get(number))) {
                accepted.put(number, null);
            }
        }
    }

    void onMessage(RdmaChannel from, Message.OfEdge message) {
        switch (message) {
            case Message.Opening offer -> onOffer(from, offer);
            case Message.EdgeTensor tensor -> receiver(tensor.edge()).onTensor(tensor);
            case Message.EdgeStatus status -> {
                switch (status.direction()) {
                    case TO_RECEIVER -> receiver(status.edge()).onStatus(status);
                    case TO_SENDER -> onGivenUp(from, status);
                }
            }
            case Message.EdgeCredit credit -> onCredit(credit.edge(), credit.released());
        }
    }

    private void onOffer(RdmaChannel from, Message.Opening offer) {
        checkParties(offer.key());
        SendingEnd end = senders.get(offer.key());
        if (accepted.get(offer.edge()) != null
                || parkedByNumber.get(offer.edge()) != null
                || parked.containsKey(offer.key())
                || (end != null && end.isOnChannel())) {
            throw new ProtocolViolationException("edge " + offer.edge() + ", " + offer.key() + ", is offered twice");
        }
        if (!offer.resumed() && offer.received() > 0) {
            throw new ProtocolViolationException(
                    "it reports " + offer.received() + " received tensors in the first offer of " + offer.key());
        }
        if (stopped != null) {
            refuse(from, offer, stopped.code(), stopped.reasonWithDetails());
            return;
        }
        Message.EdgeStatus word = lastWordFor(offer);
        if (word != null) {
            answerWithLastWord(from, offer, word);
        } else if (end != null && end.goesOnWith(offer)) {
            accept(from, end, offer);
        } else if (offer.received() > 0) {
            answerWithLastWord(from, offer, null);
        } else {
            park(offer);
            if (end != null) {
                end.onConsumerGone(new TransportException(
                        StatusCode.ABORTED, "the consumer has opened " + offer.key() + " again", name, 0, null));
            }
        }
    }

    private Message.@Nullable EdgeStatus lastWordFor(Message.Opening offer) {
        LastWord word = lastWords.get(offer.key());
        if (word == null) {
            return null;
        }
        if (offer.resumed() && offer.opening() == word.opening()) {
            return word.status();
        }
        // The consumer has opened a new end; its earlier end has received the status, or was dropped.
        lastWords.remove(offer.key());
        return null;
    }

    private static void answerWithLastWord(RdmaChannel from, Message.Opening offer, Message.@Nullable EdgeStatus word) {
        from.send(new Message.EdgeStatus(
                offer.edge(),
                word == null ? offer.received() : Math.max(offer.received(), word.count()),
                Message.Direction.TO_RECEIVER,
                word == null ? StatusCode.ABORTED : word.code(),
                word == null ? "the producer has ended the edge" : word.message()));
    }

    private void park(Message.Opening offer) {
        parked.put(offer.key(), offer);
        parkedByNumber.put(offer.edge(), offer);
    }

    private void unpark(Message.Opening offer) {
        parked.remove(offer.key());
        parkedByNumber.put(offer.edge(), null);
    }

    private void unparkAll() {
        parked.clear();
        parkedByNumber.clear();
    }

    /// Refuses an offer: no tensors follow beyond those that the consumer has received.
    private static void refuse(RdmaChannel from, Message.Opening offer, StatusCode code, String why) {
        from.send(new Message.EdgeStatus(offer.edge(), offer.received(), Message.Direction.TO_RECEIVER, code, why));
    }

    private void checkParties(String text) {
        RendezvousKey key;
        try {
            key = RendezvousKey.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ProtocolViolationException("it offered an edge with an invalid key: " + e.getMessage());
        }
        if (!key.source().worker().equals(workerName)
                || !key.destination().worker().equals(name)) {
            throw new ProtocolViolationException("it offered an edge between other workers: " + text);
        }
    }

    private void accept(RdmaChannel from, SendingEnd end, Message.Opening offer) {
        String disagreement = end.disagreement(from, offer);
        if (disagreement != null) {
            refuse(from, offer, StatusCode.INVALID_ARGUMENT, disagreement);
            end.onConsumerGone(new TransportException(StatusCode.INVALID_ARGUMENT, disagreement, name, 0, null));
            return;
        }
        accepted.put(offer.edge(), end);
        end.accept(from, offer);
    }

    private void onGivenUp(RdmaChannel from, Message.EdgeStatus status) {
        SendingEnd end = accepted.get(status.edge());
        if (end != null) {
            end.onGivenUp(status);
            return;
        }
        // The edge was not accepted here, or its final status is already on its way.
        Message.Opening offer = parkedByNumber.get(status.edge());
        if (offer != null) {
            unpark(offer);
            refuse(from, offer, status.code(), status.message());
        }
    }

    /// Ends the edges that the consumer did not offer again, after it has repeated all offers.
    void onResumed() {
        for (SendingEnd end : List.copyOf(senders.values())) {
            if (end.waitsForConsumer()) {
                end.onConsumerGone(new TransportException(
                        StatusCode.ABORTED,
                        "the consumer has ended " + end.edge() + " while there was no channel",
                        name,
                        0,
                        null));
            }
        }
    }

    void onCredit(int number, long released) {
        SendingEnd end = accepted.get(number);
        // The end is gone if its final status is on its way.
        if (end != null) {
            end.onCredit(released);
        }
    }

    void onContent(int number, int lane) {
        receiver(number).onContent(lane);
    }

    private ReceivingEnd receiver(int number) {
        ReceivingEnd end = receivers.get(number);
        if (end == null) {
            throw new ProtocolViolationException("edge " + number + " was not offered");
        }
        return end;
    }

    void onChannelOpen(RdmaChannel opened) {
        channel = opened;
        for (SendingEnd end : List.copyOf(senders.values())) {
            if (end.wasAcceptedByAnother(opened)) {
                end.onConsumerGone(
                        new TransportException(StatusCode.ABORTED, "the consumer was restarted", name, 0, null));
            }
        }
    }

    void onMemoryStranded() {
        receivers.all().forEach(ReceivingEnd::onMemoryStranded);
        senders.values().forEach(SendingEnd::onMemoryStranded);
    }

    void onChannelLost(ChannelLoss loss) {
        channel = null;
        unparkAll();
        accepted.clear();
        receivers.all().forEach(end -> end.onChannelLost(loss));
        List.copyOf(senders.values()).forEach(end -> end.onChannelLost(loss));
    }

    /// Ends all edges, and refuses later offers.
    void end(TransportException cause) {
        stopped = cause;
        RdmaChannel open = channel;
        if (open != null) {
            parked.values().forEach(offer -> refuse(open, offer, cause.code(), cause.reasonWithDetails()));
        }
        unparkAll();
        receivers.all().forEach(end -> end.giveUp(cause));
        List.copyOf(senders.values()).forEach(end -> end.fail(cause));
    }

    /// The final status for a consumer that offers again.
    ///
    /// @param opening opening number of the consumer's end that the status is for
    record LastWord(int opening, Message.EdgeStatus status) {}

    /// Ends by their numbers. Numbers are assigned from the smallest free one, so a list suffices and a look-up
    /// allocates nothing.
    private static final class EdgeTable<E> {
        private final ArrayList<@Nullable E> ends = new ArrayList<>();

        @Nullable
        E get(int number) {
            return number < ends.size() ? ends.get(number) : null;
        }

        void put(int number, @Nullable E end) {
            while (ends.size() <= number) {
                ends.add(null);
            }
            ends.set(number, end);
        }

        List<E> all() {
            return ends.stream().filter(Objects::nonNull).toList();
        }

        void clear() {
            ends.clear();
        }
    }
}
