package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `-Dhostile.messages` inputs that a broken or hostile peer could write, from one seed: each is a valid message or
/// malformed, and nothing else happens.
@Timeout(60 * 20)
class HostileMessageTest {
    private static final long SEED = 0x7E4507FE44L;
    private static final int MESSAGES = Integer.getInteger("hostile.messages", 100_000);
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final int INDEX = RequestIndex.of(77, 4094);
    private static final List<Message> VALID = List.of(
            new TensorRequest(3, INDEX, "/job:ps/replica:0/task:0/device:CPU:0;1;b;édge;0:0", MATRIX, 0x1000, 7, true),
            new TensorRequest(3, INDEX, "a;1;b;edge;0:0", null, 0, 0, false),
            new TensorRequest(3, INDEX, 4, "a;1;b;edge;0:0", MATRIX, 0x1000, 7, false, true),
            new Message.RepeatedRequest(3, INDEX, 77, 0x1000, 7),
            new MetaDataResponse(3, INDEX, MATRIX, OptionalLong.of(9)),
            new MetaDataResponse(
                    3, INDEX, new TensorMetaData(DataType.STRING, Shape.of(4), false, 99), OptionalLong.empty()),
            new TensorReRequest(3, INDEX, MATRIX, 0x1000, 7),
            new TensorReRequest(3, INDEX, MATRIX, 0, 0, true),
            new Message.TensorPiece(3, INDEX, 5, 1 << 20, 0x1000, 7),
            new ErrorStatus(3, INDEX, Direction.TO_RECEIVER, StatusCode.ABORTED, "the step was aborted: naïve"),
            new Message.EdgeOffer(77, "a;1;b;edge;0:0", MATRIX, 2, true, true, -5, 9, 2, 0x1000, 7),
            new Message.DynamicOffer(77, "a;1;b;edge;0:0", 8, 1 << 20, true, -5, 9),
            new Message.EdgeTensor(77, 9, MATRIX, 0x1000, 7),
            new Message.EdgeStatus(77, 9, Direction.TO_RECEIVER, StatusCode.ABORTED, "closed: naïve"),
            new Message.EdgeCredit(77, 9),
            new Message.PartOpen(77, "embédding", MATRIX),
            new Message.PartGrant(77, 9, 24, 0x1000, 7),
            new Message.PartStatus(77, Direction.TO_SENDER, StatusCode.CANCELLED, "closed: naïve"));

    @Test
    void randomBytesAreMalformed() {
        var random = new SplittableRandom(SEED);
        for (int i = 0; i < MESSAGES / 4; i++) {
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            assertThat(decodes(bytes, i)).isFalse();
        }
    }

    @Test
    void randomBytesBehindAValidPreambleAreAMessageOrMalformed() {
        var random = new SplittableRandom(SEED + 1);
        for (int i = 0; i < MESSAGES / 4; i++) {
            byte[] bytes = new byte[64 + 8 * random.nextInt(20)];
            for (int k = 0; k < bytes.length; k++) {
                // Mostly zeros, so that not every input fails at the first unused field.
                bytes[k] = random.nextInt(8) == 0 ? (byte) random.nextInt(-4, 10) : 0;
            }
            MemorySegment message = MemorySegment.ofArray(bytes);
            message.set(MessageLayout.U16, MessageLayout.MAGIC, (short) MessageLayout.MAGIC_VALUE);
            message.set(MessageLayout.U8, MessageLayout.VERSION, (byte) MessageLayout.VERSION_VALUE);
            message.set(MessageLayout.U8, MessageLayout.TYPE, (byte) random.nextInt(17));
            message.set(MessageLayout.U32, MessageLayout.LENGTH, bytes.length);
            decodes(bytes, i);
        }
    }

    @Test
    void mutatedMessagesAreAMessageOrMalformed() {
        var random = new SplittableRandom(SEED + 2);
        int valid = 0;
        for (int i = 0; i < MESSAGES / 2; i++) {
            Message message = VALID.get(random.nextInt(VALID.size()));
            byte[] bytes = new byte[MessageCodec.encodedSize(message) + 8 * random.nextInt(3)];
            MessageCodec.encode(message, MemorySegment.ofArray(bytes));
            for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
                mutate(bytes, random);
            }
            valid += decodes(bytes, i) ? 1 : 0;
        }
        // Changes of the step, the key's letters, the address and so on leave a message valid: the test reaches behind
        // every check.
        assertThat(valid).isBetween(MESSAGES / 50, MESSAGES / 5 * 2);
    }

    private static void mutate(byte[] bytes, SplittableRandom random) {
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(4)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xFF : 0);
            default -> {
                int from = random.nextInt(bytes.length);
                int length = Math.min(random.nextInt(1, 9), bytes.length - Math.max(at, from));
                System.arraycopy(bytes, from, bytes, at, length);
            }
        }
    }

    /// Returns whether it is a message; if so, it can also be sent again.
    private static boolean decodes(byte[] bytes, int number) {
        Message message;
        try {
            message = MessageCodec.decode(MemorySegment.ofArray(bytes));
        } catch (MalformedMessageException e) {
            return false;
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed 0x%x, input %d: %s"
                            .formatted(SEED, number, HexFormat.of().formatHex(bytes)),
                    e);
        }
        byte[] again = new byte[bytes.length];
        int length = MessageCodec.encode(message, MemorySegment.ofArray(again));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(again).asSlice(0, length)))
                .isEqualTo(message);
        return true;
    }
}
