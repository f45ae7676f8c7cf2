package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The acts of an attacker and its victim, one byte for each act and some for its arguments. All that the
/// attacker may not do it may do here, except one act that no receiver can stop while a region is registered as a
/// whole: to write with a key that it was given where it was not asked to. The victim's user keeps to the API.
final class HostileProgram {
    private static final int MOST_CARRIED = 2048;
    private static final int MOST_ACTS = 200;
    private static final int MOST_RECEIVES = 32;
    /// Few, so that they stand for something else again and again; one of them for nothing.
    private static final int NAMES = 4;
    private static final int EDGES = 4;
    private static final long TICK_NS = 4_000;

    private final HostileStage stage;
    private final Attacker attacker;
    private final ProgramBytes bytes;
    private final List<Message.OfRequest> heard = new ArrayList<>();
    private final List<Scenario.Receive> receives = new ArrayList<>();
    private final HostileEdges edges;

    HostileProgram(HostileStage stage, ProgramBytes bytes) {
        this.stage = stage;
        this.attacker = stage.attacker;
        this.bytes = bytes;
        this.edges = new HostileEdges(stage, bytes);
    }

    /// Performs the acts, then ends everything and checks what is left.
    void run() {
        stage.connect();
        for (int acts = 0; acts < MOST_ACTS && !bytes.atEnd(); acts++) {
            act();
            attacker.poll();
            hear();
        }
        stage.settle();
        stage.assertHealthy();
        assertThat(stage.victim.adapter.memory().statistics().bytesInUse()).isLessThanOrEqualTo(16L << 20);
        receives.forEach(Scenario.Receive::cancel);
        edges.end();
        stage.victim.manager.closeStep(STEP);
        stage.await(() -> receives.stream().allMatch(Scenario.Receive::hasEnded), "every receive of the victim ends");
        for (Scenario.Receive receive : receives) {
            // Fails where there were two results.
            receive.result();
            receive.close();
        }
        stage.end();
    }

    private void act() {
        switch (bytes.below(23)) {
            case 0 -> sendBytes(bytes.take(bytes.small() * 2));
            case 1 -> sendBytes(header(bytes.below(16), bytes.take(56), bytes.small() % 32 * 8));
            case 2 -> immediate(bytes.below(2), bytes.number());
            case 3 -> immediate(bytes.below(2), Immediate.ACKNOWLEDGEMENT);
            case 4 -> contentAnywhere();
            case 5 -> answerWithContent();
            case 6 -> answer(lastIndex(), new Answer(metaData(), bytes.below(2) == 1));
            case 7 -> refuse(lastIndex());
            case 8 -> send(request(bytes.below(EDGES), bytes.below(3)));
            case 9 -> againFor();
            case 10 -> receive();
            case 11 -> stage.scenario.send(VICTIM, ATTACKER, STEP, edge(bytes.below(EDGES)), bytes.small(), 7);
            case 12 -> pause(bytes.small());
            case 13 -> giveUp();
            case 14 -> offer();
            case 15 -> send(new Message.Resumed());
            case 16 -> send(new Message.Heartbeat());
            case 17 -> send(repeated(bytes.below(3)));
            case 18 -> carry(lastIndex());
            case 19 -> attacker.acknowledges = bytes.below(2) == 0;
            case 20 -> edges.use();
            case 21 -> edges.attack();
            default -> send(part());
        }
    }

    private void sendBytes(byte[] message) {
        // It may be an answer to anything.
        heard.clear();
        edges.forgetAll();
        if (attacker.canPost(Attacker.CONTROL)) {
            attacker.sendBytes(message);
        }
    }

    private void send(Message message) {
        if (attacker.canPost(Attacker.CONTROL)) {
            attacker.send(message);
        }
    }

    private void immediate(int queuePair, int immediate) {
        if (immediate != Immediate.ACKNOWLEDGEMENT) {
            heard.clear();
        }
        if (attacker.canPost(queuePair)) {
            attacker.immediate(queuePair, immediate);
        }
    }

    private void content(int index, int length, long address, int key) {
        if (attacker.canPost(Attacker.LANE)) {
            attacker.content(index, length, address, key);
        }
    }

    /// A message whose preamble is right, so that the fuzzer need not find it again and again.
    private static byte[] header(int type, byte[] fields, int more) {
        byte[] message = new byte[64 + more];
        message[0] = 'T';
        message[1] = 'F';
        message[2] = 2;
        message[3] = (byte) type;
        message[4] = (byte) message.length;
        message[5] = (byte) (message.length >> 8);
        System.arraycopy(fields, 0, message, 8, fields.length);
        return message;
    }

    private void contentAnywhere() {
        heard.clear();
        content(bytes.number(), bytes.small(), bytes.longNumber(), bytes.number());
    }

    /// Writes to where the victim asked for it; perhaps less than that, for another request, or with another key.
    private void answerWithContent() {
        int wrong = bytes.below(4);
        switch (last()) {
            case Message.TensorRequest request
            when request.metaData() != null ->
                content(request.requestIndex(), request.metaData(), request.address(), request.remoteKey(), wrong);
            case Message.TensorReRequest again ->
                content(again.requestIndex(), again.metaData(), again.address(), again.remoteKey(), wrong);
            case null, default -> {}
        }
    }

    private void content(int index, TensorMetaData metaData, long address, int key, int wrong) {
        if (wrong == 1) {
            heard.clear();
        } else {
            forget(index);
        }
        int length = (int) Math.min(metaData.byteSize(), 1 << 16);
        content(wrong == 1 ? index + 1 : index, wrong == 2 ? length / 2 : length, address, wrong == 3 ? key ^ 1 : key);
    }

    private record Answer(TensorMetaData metaData, boolean checksum) {}

    private void answer(int index, Answer answer) {
        forget(index);
        OptionalLong checksum =
                answer.checksum() ? OptionalLong.of(Integer.toUnsignedLong(bytes.number())) : OptionalLong.empty();
        long size = answer.metaData().byteSize();
        ByteBuffer content = size <= MOST_CARRIED && bytes.below(2) == 1 ? ByteBuffer.allocate((int) size) : null;
        send(new Message.MetaDataResponse(STEP, index, answer.metaData(), checksum, content));
    }

    /// A content inside the ring, of a size that may be right.
    private void carry(int index) {
        int size = bytes.small();
        if (last() instanceof Message.TensorRequest request
                && request.metaData() != null
                && request.metaData().byteSize() <= MOST_CARRIED
                && bytes.below(4) > 0) {
            size = (int) request.metaData().byteSize();
        }
        forget(index);
        send(new Message.TensorContent(STEP, index, ByteBuffer.allocate(size)));
    }

    private void refuse(int index) {
        forget(index);
        send(new Message.ErrorStatus(STEP, index, direction(), code(), "x".repeat(bytes.small())));
    }

    /// The victim may use that memory for something else from now on.
    private void forget(int index) {
        heard.removeIf(message -> message.requestIndex() == index);
    }

    private Message request(int edge, int kind) {
        int index = bytes.below(4) == 0 ? lastIndex() : stage.freshIndex();
        String key = Scenario.key(VICTIM, ATTACKER, edge(edge)).toString();
        TensorMetaData expected = TensorMetaData.of(DataType.UINT8, Shape.of(bytes.small()));
        boolean content = kind > 0 && expected.byteSize() > 0;
        return new Message.TensorRequest(
                STEP,
                index,
                bytes.below(NAMES),
                key,
                kind > 0 ? expected : null,
                content ? address(kind) : 0,
                content ? attacker.contentKey() : 0,
                false,
                bytes.below(4) == 3);
    }

    /// A number that may stand for something, with an address that may suit.
    private Message repeated(int kind) {
        int index = bytes.below(4) == 0 ? lastIndex() : stage.freshIndex();
        return new Message.RepeatedRequest(
                STEP,
                index,
                1 + bytes.below(NAMES),
                kind > 0 ? address(kind) : 0,
                kind > 0 ? attacker.contentKey() : 0);
    }

    private long address(int kind) {
        return kind == 1 ? attacker.contentAddress() : Math.max(1, bytes.longNumber() >>> 2);
    }

    /// Asks for what the victim described.
    private void againFor() {
        if (last()
                        instanceof
                        Message.MetaDataResponse(long step, int index, TensorMetaData metaData, var _, var content)
                && content == null) {
            boolean sized = metaData.byteSize() > 0;
            int kind = sized ? bytes.below(3) : 0;
            if (kind == 2 && metaData.dataType().isDmaAble()) {
                againInPieces(step, index, metaData);
                return;
            }
            send(new Message.TensorReRequest(
                    step, index, metaData, sized ? address(1 + kind % 2) : 0, sized ? attacker.contentKey() : 0));
        }
    }

    /// Names pieces, of which one may be out of its turn, or beyond the end.
    private void againInPieces(long step, int index, TensorMetaData metaData) {
        send(new Message.TensorReRequest(step, index, metaData, 0, 0, true));
        int pieces = bytes.below(4);
        for (int i = 0; i < pieces; i++) {
            int number = bytes.below(8) == 7 ? i + 1 : i;
            send(new Message.TensorPiece(
                    step, index, number, 1 + bytes.small(), attacker.contentAddress(), attacker.contentKey()));
        }
    }

    private void receive() {
        if (receives.size() < MOST_RECEIVES) {
            receives.add(stage.scenario.receive(ATTACKER, VICTIM, STEP, edge(bytes.below(EDGES))));
        }
    }

    private void giveUp() {
        if (bytes.below(8) == 0) {
            stage.victim.manager.closeStep(STEP);
        } else if (!receives.isEmpty()) {
            receives.get(bytes.below(receives.size())).cancel();
        }
    }

    private void pause(int ticks) {
        long end = stage.scenario.fabric.now() + ticks * TICK_NS;
        stage.await(() -> stage.scenario.fabric.now() >= end, "time goes on");
    }

    /// Another channel, of the same life or another, with an offer that may be wrong.
    private void offer() {
        if (bytes.below(2) == 1) {
            attacker.restart();
        }
        heard.clear();
        edges.forgetAll();
        attacker.offer(stage.victim.adapter.acceptor(), mutation(bytes.below(12)));
        stage.await(() -> attacker.isConnected() || attacker.hasFailed(), "an answer");
    }

    private Attacker.OfferChange mutation(int which) {
        long value = which == 0 ? 0 : bytes.longNumber();
        return offer -> new ConnectionParameters(
                which == 1 ? (int) value : offer.protocolVersion(),
                offer.hostName(),
                offer.incarnation(),
                offer.connectionId(),
                which == 2 ? value : offer.attempt(),
                which == 3 ? offer.queuePairs().subList(0, (int) (value & 1)) : offer.queuePairs(),
                offer.ring(),
                // Odd, and so wrong: with another ring that is right the attacker could not read what it is sent.
                which == 4 ? (int) value | 1 : offer.ringSlots(),
                which == 5 ? (int) value | 1 : offer.slotBytes(),
                which == 6 ? (int) value : offer.receiveDepth(),
                offer.mtu(),
                which == 7 ? value : offer.maxMessageBytes(),
                which == 9 ? value : offer.stripeBytes(),
                which == 10 ? (int) value : offer.readsAtOnce(),
                which == 11 ? (int) value : offer.piecesAtOnce(),
                which == 8 ? "another" : offer.fabric());
    }

    private TensorMetaData metaData() {
        int dimension = bytes.small();
        return switch (bytes.below(5)) {
            case 0 -> TensorMetaData.of(DataType.DOUBLE, Shape.of(1L << 40));
            case 1 -> new TensorMetaData(DataType.STRING, Shape.of(dimension), false, bytes.small());
            case 2 -> TensorMetaData.ofDead();
            case 3 -> TensorMetaData.of(DataType.FLOAT, Shape.of(dimension, 256));
            default -> TensorMetaData.of(DataType.UINT8, Shape.of(dimension));
        };
    }

    /// About a part of a tensor that the victim may have, or may have opened.
    private Message part() {
        int part = bytes.below(EDGES);
        int rows = bytes.small();
        return switch (bytes.below(3)) {
            case 0 ->
                new Message.PartOpen(
                        part, edge(bytes.below(EDGES)), TensorMetaData.of(DataType.FLOAT, Shape.of(rows, 4)));
            case 1 ->
                new Message.PartGrant(
                        part,
                        bytes.small(),
                        rows * 16L,
                        rows == 0 ? 0 : attacker.contentAddress(),
                        rows == 0 ? 0 : attacker.contentKey());
            default -> new Message.PartStatus(part, direction(), code(), "x".repeat(rows));
        };
    }

    private Message.Direction direction() {
        return bytes.below(2) == 0 ? Message.Direction.TO_RECEIVER : Message.Direction.TO_SENDER;
    }

    private StatusCode code() {
        return StatusCode.ofNumber(1 + bytes.below(16));
    }

    private static String edge(int number) {
        return "edge" + number;
    }

    private void hear() {
        for (Message message = attacker.takeMessage(); message != null; message = attacker.takeMessage()) {
            if (message instanceof Message.OfRequest about) {
                heard.add(about);
            } else if (message instanceof Message.OfEdge about) {
                edges.hear(about);
            }
        }
    }

    /// One of the last messages of the victim about a request.
    private Message.@Nullable OfRequest last() {
        int back = bytes.below(4);
        return heard.isEmpty() ? null : heard.get(Math.max(0, heard.size() - 1 - back));
    }

    private int lastIndex() {
        Message.OfRequest last = last();
        return last == null ? stage.freshIndex() : last.requestIndex();
    }
}
