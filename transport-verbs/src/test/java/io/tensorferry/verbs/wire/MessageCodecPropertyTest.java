package io.tensorferry.verbs.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.testing.Property;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MessageCodecPropertyTest {
    @Test
    void whatIsEncodedIsDecodedAgain() {
        Property.check(3000, draw -> {
            Message message = Messages.any(draw);
            byte[] slot = dirty(MessageCodec.encodedSize(message) + 24);

            int length = MessageCodec.encode(message, MemorySegment.ofArray(slot));

            assertThat(length)
                    .isEqualTo(MessageCodec.encodedSize(message))
                    .isBetween(24, MessageCodec.MAX_MESSAGE_BYTES);
            assertThat(length % 8).isZero();
            assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(message);
        });
    }

    @Test
    void theBytesDependOnTheMessageAlone() {
        Property.check(500, draw -> {
            Message message = Messages.any(draw);
            int length = MessageCodec.encodedSize(message);
            byte[] clean = new byte[length];
            byte[] dirty = dirty(length + 8);

            MessageCodec.encode(message, MemorySegment.ofArray(clean));
            MessageCodec.encode(message, MemorySegment.ofArray(dirty));

            assertThat(Arrays.copyOf(dirty, length)).isEqualTo(clean);
            assertThat(Arrays.copyOfRange(dirty, length, length + 8)).containsOnly(0xAB);
        });
    }

    @Test
    void aReaderReadsWithoutAnObjectWhatComesForEachTransfer() {
        Property.check(3000, draw -> {
            Message message = Messages.any(draw);
            byte[] slot = dirty(MessageCodec.encodedSize(message) + 24);
            MessageCodec.encode(message, MemorySegment.ofArray(slot).asSlice(8));
            var reader = new SlotReader(slot.length - 8);

            reader.open(MemorySegment.ofArray(slot), 8);
            SlotReader.Kind kind = reader.next();

            assertThat(kind)
                    .isEqualTo(
                            switch (message) {
                                case Message.RepeatedRequest _ -> SlotReader.Kind.REPEATED_REQUEST;
                                case Message.TensorContent _ -> SlotReader.Kind.TENSOR_CONTENT;
                                case Message.EdgeCredit _ -> SlotReader.Kind.EDGE_CREDIT;
                                default -> SlotReader.Kind.OTHER;
                            });
            reader.open(MemorySegment.ofArray(slot), 8);
            assertThat(reader.nextMessage()).isEqualTo(message);
        });
    }

    @Test
    void aMessageCutShortIsRefused() {
        Property.check(500, draw -> {
            Message message = Messages.any(draw);
            int missing = draw.intOf(1, 64);
            byte[] bytes = new byte[MessageCodec.encodedSize(message)];
            MessageCodec.encode(message, MemorySegment.ofArray(bytes));

            byte[] cut = Arrays.copyOf(bytes, Math.max(0, bytes.length - missing));

            assertThatExceptionOfType(MalformedMessageException.class)
                    .isThrownBy(() -> MessageCodec.decode(MemorySegment.ofArray(cut)));
        });
    }

    @Test
    void aStatusMessageIsCutToTheSlotBetweenTwoCharacters() {
        Property.check(500, draw -> {
            ErrorStatus status = Messages.anyStatus(draw);
            int slotBytes = draw.intOf(64, 400);
            byte[] slot = dirty(slotBytes);

            int length = MessageCodec.encode(status, MemorySegment.ofArray(slot));

            assertThat(length).isLessThanOrEqualTo(slotBytes);
            var decoded = (ErrorStatus) MessageCodec.decode(MemorySegment.ofArray(slot));
            assertThat(status.message()).startsWith(decoded.message());
            int kept = decoded.message().getBytes(UTF_8).length;
            int limit = MessageCodec.maxStatusBytes(slotBytes);
            assertThat(kept).isLessThanOrEqualTo(limit);
            if (!decoded.message().equals(status.message())) {
                assertThat(kept).as("at most one character is cut").isGreaterThan(limit - 4);
            }
        });
    }

    @Test
    void textIsEncodedAsJavaDoes() {
        Property.check(1000, draw -> {
            String anyText = draw.text(0, 255);
            byte[] expected = anyText.getBytes(UTF_8);
            int length = Utf8.length(anyText, Integer.MAX_VALUE);
            byte[] written = new byte[length];

            Utf8.write(anyText, length, MemorySegment.ofArray(written), 0);

            assertThat(written).isEqualTo(expected);
            assertThat(Utf8.isWellFormed(anyText)).isEqualTo(UTF_8.newEncoder().canEncode(anyText));
        });
    }

    private static byte[] dirty(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xAB);
        return bytes;
    }
}
