package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.HEALTHY;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.MalformedMessageException;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.RequestIndex;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.Random;

/// Draws what an attacker writes: things that a worker has to bear, and things that must end the channel.
final class HostileWriter {
    private static final TensorMetaData HUGE = TensorMetaData.of(DataType.DOUBLE, Shape.of(1L << 40));
    private static final TensorMetaData STRINGS = new TensorMetaData(DataType.STRING, Shape.of(2), false, 24);
    private static final int MOST_PARKED = 200;
    private static final int SMALL = 48;

    /// What becomes of the channel.
    enum Outcome {
        MALFORMED,
        /// Malformed, behind a message that may be a violation.
        MALFORMED_LATER,
        VIOLATION,
        /// Fails, because of an error that the device found.
        DEVICE,
        /// Depends on what a valid message meets.
        UNKNOWN
    }

    private final HostileStage stage;
    private final Attacker attacker;
    private final Random random;
    private final Deque<Integer> parked = new ArrayDeque<>();
    private final Deque<Message.TensorRequest> asked = new ArrayDeque<>();

    HostileWriter(HostileStage stage) {
        this.stage = stage;
        this.attacker = stage.attacker;
        this.random = stage.random;
    }

    /// A new channel: nothing is under way on it.
    void reset() {
        parked.clear();
        asked.clear();
    }

    /// Writes something that a worker has to bear.
    void bearable() {
        takeMessages();
        switch (random.nextInt(16)) {
            // As if it had crossed the end of the request.
            case 15 -> attacker.send(random.nextBoolean() ? piece(anyIndex()) : inPieces(anyIndex()));
            case 14 -> edge();
            case 13 -> attacker.send(content(anyIndex(), random.nextInt(SMALL)));
            case 12 ->
                attacker.sendBytes(Attacker.slotOf(
                        request("absent;too;many;parts;here;0:0"), new Message.Heartbeat(), refusal(anyIndex())));
            case 0, 1, 2 -> attacker.content(anyIndex(), 0, 0, 0);
            case 3 ->
                attacker.send(new Message.MetaDataResponse(
                        random.nextLong(), anyIndex(), anyMetaData(), OptionalLong.empty()));
            case 4 ->
                attacker.send(new Message.TensorReRequest(
                        random.nextLong(), anyIndex(), HUGE, random.nextLong(1, 1L << 40), random.nextInt()));
            case 5 ->
                attacker.send(new Message.ErrorStatus(
                        random.nextLong(),
                        anyIndex(),
                        random.nextBoolean() ? Message.Direction.TO_SENDER : Message.Direction.TO_RECEIVER,
                        StatusCode.ofNumber(1 + random.nextInt(16)),
                        "x".repeat(random.nextInt(100))));
            case 6 -> attacker.send(request("absent;too;many;parts;here;0:0"));
            case 7 ->
                attacker.send(request(Scenario.key(HEALTHY, ATTACKER, "foreign").toString()));
            case 8 ->
                attacker.send(request(Scenario.key(VICTIM, HEALTHY, "foreign").toString()));
            case 9 -> park();
            default -> answer();
        }
    }

    /// Writes something that must end the channel, or may, and says which.
    Outcome bad() {
        takeMessages();
        return switch (random.nextInt(14)) {
            case 0 -> bytes(randomBytes());
            case 1, 2, 3 -> bytes(mutated());
            case 4 -> {
                attacker.immediate(Attacker.CONTROL, random.nextInt() & ~1);
                yield Outcome.VIOLATION;
            }
            case 5 -> {
                attacker.immediate(Attacker.LANE, 0xFFF00000 | random.nextInt(0xFFFFE));
                yield Outcome.VIOLATION;
            }
            case 6 -> {
                int queuePair = random.nextInt(2);
                for (int i = 0; i < 8; i++) {
                    attacker.immediate(queuePair, Immediate.ACKNOWLEDGEMENT);
                }
                yield Outcome.VIOLATION;
            }
            case 7 -> {
                // No request has given a number.
                attacker.send(
                        new Message.RepeatedRequest(STEP, stage.freshIndex(), 1 + random.nextInt(NameId.COUNT), 0, 0));
                yield Outcome.VIOLATION;
            }
            case 8 -> {
                int index = park();
                if (random.nextBoolean()) {
                    attacker.send(request(
                            index, Scenario.key(VICTIM, ATTACKER, "twice").toString()));
                } else {
                    attacker.send(new Message.TensorReRequest(STEP, index, HUGE, 1, 2));
                }
                yield Outcome.VIOLATION;
            }
            case 9 -> {
                attacker.send(new Message.EdgeStatus(
                        random.nextInt(Immediate.EDGES),
                        random.nextLong(Long.MAX_VALUE),
                        Message.Direction.TO_RECEIVER,
                        StatusCode.ofNumber(random.nextInt(17)),
                        ""));
                yield Outcome.VIOLATION;
            }
            case 10 -> {
                // Of an edge that was not offered.
                attacker.send(tensorOfEdge(random.nextInt(Immediate.EDGES)));
                yield Outcome.VIOLATION;
            }
            case 11 -> {
                // Of a part that was not opened.
                attacker.send(grant());
                yield Outcome.VIOLATION;
            }
            case 12 -> {
                // Of a request that has no tensor yet.
                int index = park();
                attacker.send(random.nextBoolean() ? piece(index) : inPieces(index));
                yield Outcome.VIOLATION;
            }
            default -> {
                stage.scenario.send(VICTIM, ATTACKER, STEP, "tempting", 3, 1);
                attacker.send(new Message.TensorRequest(
                        STEP,
                        stage.freshIndex(),
                        Scenario.key(VICTIM, ATTACKER, "tempting").toString(),
                        TensorMetaData.of(DataType.UINT8, Shape.of(3)),
                        random.nextLong(1, 1L << 40),
                        random.nextInt(),
                        false));
                yield Outcome.DEVICE;
            }
        };
    }

    /// Of an edge that the victim does not have: offered and given up, or only spoken of.
    private void edge() {
        int number = random.nextInt(Immediate.EDGES);
        var end = new Message.EdgeStatus(number, 0, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "");
        switch (random.nextInt(3)) {
            case 0 -> attacker.send(new Message.EdgeCredit(number, random.nextLong(Long.MAX_VALUE)));
            case 1 -> attacker.send(end);
            default -> attacker.sendBytes(Attacker.slotOf(edgeOffer(number), end));
        }
    }

    private static Message edgeOffer(int number) {
        return new Message.EdgeOffer(
                number,
                Scenario.key(VICTIM, ATTACKER, "edge" + number).toString(),
                TensorMetaData.of(DataType.UINT8, Shape.of(3)),
                2,
                true,
                false,
                3,
                0,
                0,
                1,
                2);
    }

    private Message tensorOfEdge(int number) {
        return new Message.EdgeTensor(number, random.nextInt(3), TensorMetaData.of(DataType.UINT8, Shape.of(3)), 1, 2);
    }

    private Message grant() {
        return new Message.PartGrant(random.nextInt(Message.OfPart.COUNT), random.nextInt(100), 8, 1, 2);
    }

    private Message piece(int index) {
        return new Message.TensorPiece(STEP, index, random.nextInt(2), 1 + random.nextInt(SMALL), 1, 2);
    }

    private static Message inPieces(int index) {
        return new Message.TensorReRequest(STEP, index, HUGE, 0, 0, true);
    }

    private void takeMessages() {
        for (Message message = attacker.takeMessage(); message != null; message = attacker.takeMessage()) {
            switch (message) {
                case Message.TensorRequest request -> asked.add(request);
                case Message.TensorReRequest again -> {
                    if (again.metaData().byteSize() <= SMALL) {
                        attacker.contentMemory().asSlice(0, SMALL).fill((byte) random.nextInt(4));
                        attacker.content(
                                again.requestIndex(), again.metaData().byteSize(), again.address(), again.remoteKey());
                    }
                }
                case Message.MetaDataResponse _,
                        Message.TensorContent _,
                        Message.Heartbeat _,
                        Message.Resumed _,
                        Message.RepeatedRequest _,
                        Message.TensorPiece _,
                        Message.OfEdge _,
                        Message.OfPart _ -> {}
                // Confirms what the victim gives up.
                case Message.ErrorStatus status -> {
                    if (status.direction() == Message.Direction.TO_SENDER) {
                        attacker.send(refusal(status.requestIndex()));
                    }
                }
            }
        }
    }

    /// Answers a request of the victim in one of the ways that end that receive alone.
    private void answer() {
        Message.TensorRequest request = asked.poll();
        if (request == null) {
            attacker.content(anyIndex(), 0, 0, 0);
            return;
        }
        int index = request.requestIndex();
        TensorMetaData expected = request.metaData();
        switch (random.nextInt(6)) {
            case 0 -> attacker.send(refusal(index));
            case 2 -> {
                if (expected != null && expected.byteSize() <= SMALL) {
                    attacker.send(content(index, (int) expected.byteSize()));
                } else {
                    attacker.send(refusal(index));
                }
            }
            case 3 -> {
                TensorMetaData metaData = anyMetaData();
                attacker.send(new Message.MetaDataResponse(
                        STEP,
                        index,
                        metaData,
                        OptionalLong.empty(),
                        metaData.byteSize() > SMALL ? null : bytesOf((int) metaData.byteSize())));
            }
            case 1 -> {
                if (expected != null && expected.byteSize() <= SMALL) {
                    attacker.content(index, expected.byteSize(), request.address(), request.remoteKey());
                } else {
                    attacker.send(refusal(index));
                }
            }
            default ->
                attacker.send(new Message.MetaDataResponse(
                        STEP,
                        index,
                        anyMetaData(),
                        random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextInt(1 << 30))));
        }
    }

    private Message content(int index, int size) {
        return new Message.TensorContent(STEP, index, bytesOf(size));
    }

    private ByteBuffer bytesOf(int size) {
        byte[] content = new byte[size];
        random.nextBytes(content);
        return ByteBuffer.wrap(content);
    }

    private TensorMetaData anyMetaData() {
        return switch (random.nextInt(5)) {
            case 0 -> HUGE;
            case 1 -> STRINGS;
            case 2 -> new TensorMetaData(DataType.STRING, Shape.of(random.nextInt(3)), false, 0);
            case 3 -> TensorMetaData.ofDead();
            default -> TensorMetaData.of(DataType.UINT8, Shape.of(random.nextInt(SMALL)));
        };
    }

    /// A request for what nobody sends; after a while they are given up again.
    private int park() {
        int index = stage.freshIndex();
        attacker.send(request(index, Scenario.key(VICTIM, ATTACKER, "absent").toString()));
        parked.add(index);
        if (parked.size() > MOST_PARKED) {
            attacker.send(new Message.ErrorStatus(
                    STEP, parked.remove(), Message.Direction.TO_SENDER, StatusCode.CANCELLED, ""));
        }
        return index;
    }

    private Outcome bytes(byte[] bytes) {
        // The whole slot: what was there before could be what a message says that follows.
        byte[] slot = Arrays.copyOf(bytes, Attacker.SLOT_BYTES);
        attacker.sendBytes(slot);
        return outcomeOf(slot);
    }

    private static Outcome outcomeOf(byte[] slot) {
        var reader = new SlotReader(slot.length);
        reader.open(MemorySegment.ofArray(slot), 0);
        Outcome ifMalformed = Outcome.MALFORMED;
        try {
            do {
                reader.nextMessage();
                ifMalformed = Outcome.MALFORMED_LATER;
            } while (reader.hasMore());
            return Outcome.UNKNOWN;
        } catch (MalformedMessageException e) {
            return ifMalformed;
        }
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[64 + random.nextInt(Attacker.SLOT_BYTES - 64)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] mutated() {
        Message message = switch (random.nextInt(14)) {
            case 7 ->
                new Message.DynamicOffer(
                        random.nextInt(Immediate.EDGES),
                        Scenario.key(VICTIM, ATTACKER, "mutated").toString(),
                        4,
                        100,
                        false,
                        3,
                        0);
            case 8 -> tensorOfEdge(random.nextInt(Immediate.EDGES));
            case 9 -> new Message.PartOpen(5, "mutated", TensorMetaData.of(DataType.FLOAT, Shape.of(10, 4)));
            case 10 -> grant();
            case 11 -> new Message.PartStatus(5, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "no");
            case 12 -> piece(anyIndex());
            case 13 -> inPieces(anyIndex());
            case 4 -> edgeOffer(random.nextInt(Immediate.EDGES));
            case 5 ->
                new Message.EdgeStatus(
                        random.nextInt(Immediate.EDGES), 0, Message.Direction.TO_SENDER, StatusCode.ABORTED, "no");
            case 6 -> new Message.EdgeCredit(random.nextInt(Immediate.EDGES), 5);
            case 0 -> request(Scenario.key(VICTIM, ATTACKER, "mutated").toString());
            case 1 -> new Message.MetaDataResponse(STEP, anyIndex(), anyMetaData(), OptionalLong.of(7));
            case 2 -> new Message.TensorReRequest(STEP, anyIndex(), HUGE, 1, 2);
            default -> refusal(anyIndex());
        };
        byte[] bytes = random.nextBoolean() ? Attacker.slotOf(message) : Attacker.slotOf(refusal(anyIndex()), message);
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /// An index that the victim has not given out: it counts up from generation 0 and comes nowhere near.
    private int anyIndex() {
        return RequestIndex.of(random.nextInt(RequestIndex.SLOTS), 3000 + random.nextInt(1000));
    }

    private Message.TensorRequest request(String key) {
        return request(stage.freshIndex(), key);
    }

    private static Message.TensorRequest request(int index, String key) {
        return new Message.TensorRequest(STEP, index, key, null, 0, 0, false);
    }

    private static Message.ErrorStatus refusal(int index) {
        return new Message.ErrorStatus(STEP, index, Message.Direction.TO_RECEIVER, StatusCode.NOT_FOUND, "no");
    }
}
