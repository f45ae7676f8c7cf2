package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The part of a [HostileProgram] that is about edges: the victim's user opens and uses some, and keeps to the API; the
/// attacker says and writes about them what the bytes say. What it may not do is to write into memory of an edge that
/// it has ended itself.
final class HostileEdges {
    private static final int NAMES = 3;
    private static final int NUMBERS = 4;
    private static final int MOST_ENDS = 8;

    private final HostileStage stage;
    private final Attacker attacker;
    private final ProgramBytes bytes;
    private final List<StaticSender> senders = new ArrayList<>();
    private final List<StaticReceiver> receivers = new ArrayList<>();
    private final List<StaticEdge> sent = new ArrayList<>();
    private final List<Message.EdgeOffer> heard = new ArrayList<>();

    HostileEdges(HostileStage stage, ProgramBytes bytes) {
        this.stage = stage;
        this.attacker = stage.attacker;
        this.bytes = bytes;
    }

    void hear(Message.OfEdge message) {
        if (message instanceof Message.EdgeOffer offer) {
            heard.add(offer);
        }
    }

    /// What was offered may be ended, or the channel gone.
    void forgetAll() {
        heard.clear();
    }

    /// An act of the victim's user.
    void use() {
        switch (bytes.below(6)) {
            case 0 -> openSender();
            case 1 -> openReceiver();
            case 2 -> send();
            case 3 -> take();
            case 4 -> close(senders, sent);
            default -> close(receivers, null);
        }
    }

    private StaticEdge edge(int producer, int consumer) {
        var edge = SimulatedStaticEdge.of(producer, consumer, "edge" + bytes.below(NAMES), bytes.small());
        int kind = bytes.below(4);
        edge = kind % 2 == 0 ? edge : edge.doubleBuffered();
        return kind < 2 ? edge : edge.withReuse(StaticEdge.Reuse.DEPENDENCY);
    }

    private void openSender() {
        StaticEdge edge = edge(VICTIM, ATTACKER);
        if (senders.size() < MOST_ENDS) {
            try {
                senders.add(stage.victim.edges.openSender(edge));
                sent.add(edge);
            } catch (IllegalStateException _) {
                // It is open already.
            }
        }
    }

    private void openReceiver() {
        StaticEdge edge = edge(ATTACKER, VICTIM);
        if (receivers.size() < MOST_ENDS) {
            try {
                receivers.add(stage.victim.edges.openReceiver(edge));
            } catch (IllegalStateException _) {
                // It is open already.
            }
        }
    }

    private void send() {
        if (!senders.isEmpty()) {
            int which = bytes.below(senders.size());
            // An end that refuses the tensor leaves it to the caller.
            try (Tensor tensor = Scenario.bytes(stage.victim, sent.get(which).tensorBytes(), 7)) {
                senders.get(which).send(tensor);
            } catch (TransportException _) {
                // The attacker has ended it.
            }
        }
    }

    private void take() {
        if (!receivers.isEmpty()) {
            StaticReceiver receiver = receivers.get(bytes.below(receivers.size()));
            try {
                while (receiver.poll()) {
                    receiver.take().segment();
                    receiver.release();
                }
            } catch (TransportException _) {
                // The attacker has ended it.
            }
        }
    }

    private void close(List<? extends AutoCloseable> ends, @Nullable List<StaticEdge> edges) {
        if (!ends.isEmpty()) {
            int which = bytes.below(ends.size());
            close(ends.remove(which));
            if (edges != null) {
                edges.remove(which);
            }
        }
    }

    private static void close(AutoCloseable end) {
        switch (end) {
            case StaticSender sender -> {
                sender.startAbort(new TransportException(StatusCode.CANCELLED, "over"));
                sender.close();
            }
            case StaticReceiver receiver -> receiver.close();
            default -> throw new IllegalArgumentException("no end of an edge");
        }
    }

    /// An act of the attacker: a message, or a write.
    void attack() {
        switch (bytes.below(8)) {
            case 0, 1 -> offer();
            case 2 -> send(new Message.EdgeCredit(bytes.below(NUMBERS), count()));
            case 3 -> status();
            case 4 -> write();
            case 5 -> giveUp();
            case 6 -> dynamicOffer();
            default -> announce();
        }
    }

    private void send(Message message) {
        if (attacker.canPost(Attacker.CONTROL)) {
            attacker.send(message);
        }
    }

    private long count() {
        int count = bytes.small();
        return count < 8 ? count : bytes.longNumber() & Long.MAX_VALUE;
    }

    private void offer() {
        StaticEdge edge = edge(VICTIM, ATTACKER);
        boolean content = edge.memoryBytes() > 0;
        long received = count();
        int flags = bytes.below(8);
        send(new Message.EdgeOffer(
                bytes.below(NUMBERS),
                edge.key().toString(),
                TensorMetaData.of(DataType.UINT8, Shape.of(edge.tensorBytes())),
                edge.places(),
                edge.reuse() == StaticEdge.Reuse.CREDIT,
                (flags & 1) != 0,
                flags >> 2,
                (flags & 2) != 0 ? received : 0,
                0,
                content ? attacker.contentAddress() : 0,
                content ? attacker.contentKey() : 0));
    }

    private void dynamicOffer() {
        long received = count();
        int flags = bytes.below(8);
        send(new Message.DynamicOffer(
                bytes.below(NUMBERS),
                edge(VICTIM, ATTACKER).key().toString(),
                1 + bytes.small(),
                count(),
                (flags & 1) != 0,
                flags >> 2,
                (flags & 2) != 0 ? received : 0));
    }

    /// A tensor in the attacker's memory that may not be READ, or that is larger than the memory.
    private void announce() {
        long size = count();
        TensorMetaData metaData = TensorMetaData.of(DataType.UINT8, Shape.of(size));
        send(new Message.EdgeTensor(
                bytes.below(NUMBERS),
                count(),
                metaData,
                size == 0 ? 0 : attacker.contentAddress(),
                size == 0 ? 0 : attacker.contentKey()));
    }

    private void status() {
        int number = number();
        StatusCode code = StatusCode.ofNumber(bytes.below(4));
        if (code != StatusCode.OK) {
            heard.removeIf(offer -> offer.edge() == number);
        }
        send(new Message.EdgeStatus(number, count(), Message.Direction.TO_RECEIVER, code, "x"));
    }

    private void giveUp() {
        send(new Message.EdgeStatus(
                bytes.below(NUMBERS), 0, Message.Direction.TO_SENDER, StatusCode.ofNumber(1 + bytes.below(16)), "x"));
    }

    private void write() {
        int number = number();
        if (!attacker.canPost(Attacker.LANE)) {
            return;
        }
        for (Message.EdgeOffer offer : heard) {
            if (offer.edge() == number) {
                long size = offer.metaData().byteSize();
                attacker.content(Immediate.ofEdge(number), size, offer.address(), offer.remoteKey());
                return;
            }
        }
        attacker.immediate(Attacker.LANE, Immediate.ofEdge(number));
    }

    private int number() {
        return heard.isEmpty() || bytes.below(8) == 0
                ? bytes.below(NUMBERS)
                : heard.get(bytes.below(heard.size())).edge();
    }

    /// The victim's user has had enough.
    void end() {
        senders.forEach(HostileEdges::close);
        receivers.forEach(HostileEdges::close);
    }
}
