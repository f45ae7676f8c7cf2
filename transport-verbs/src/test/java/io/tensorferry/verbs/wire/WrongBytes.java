package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/// A valid message with changed bytes, and the decoder's answer.
final class WrongBytes {
    private WrongBytes() {}

    static byte[] encode(Message message) {
        byte[] bytes = new byte[MessageCodec.encodedSize(message)];
        MessageCodec.encode(message, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /// The decoded message if the change leaves it valid.
    static Message with(Message message, Consumer<MemorySegment> change) {
        MemorySegment bytes = MemorySegment.ofArray(encode(message));
        change.accept(bytes);
        return MessageCodec.decode(bytes);
    }

    static void assertRefused(Message message, Consumer<MemorySegment> change, String field, String value) {
        MemorySegment bytes = MemorySegment.ofArray(encode(message));
        change.accept(bytes);
        assertThatExceptionOfType(MalformedMessageException.class)
                .isThrownBy(() -> MessageCodec.decode(bytes))
                .satisfies(e -> {
                    assertThat(e.field()).isEqualTo(field);
                    assertThat(e.value()).isEqualTo(value);
                    assertThat(e).hasMessageContaining(field).hasMessageContaining(value);
                });
    }

    /// Refused for a rule between fields, which the message's constructor checks.
    static void assertContradictory(Message message, Consumer<MemorySegment> change) {
        assertRefused(message, change, "the content", "contradictory");
    }

    /// Each bit of some bytes by itself.
    static void assertNoBitMayBeSet(Message message, int offset, int count) {
        for (int bit = 0; bit < count * Byte.SIZE; bit++) {
            int at = offset + bit / Byte.SIZE;
            byte[] bytes = encode(message);
            assertThat(bytes[at]).isZero();
            bytes[at] = (byte) (1 << bit % Byte.SIZE);
            assertThatExceptionOfType(MalformedMessageException.class)
                    .as("bit %d of byte %d of %s", bit % Byte.SIZE, at, message)
                    .isThrownBy(() -> MessageCodec.decode(MemorySegment.ofArray(bytes)));
        }
    }

    static void assertReaderRefuses(Message message, Consumer<MemorySegment> change) {
        MemorySegment slot = MemorySegment.ofArray(new byte[64]);
        slot.copyFrom(MemorySegment.ofArray(encode(message)));
        var reader = new SlotReader(64);
        reader.open(slot, 0);
        assertThat(reader.nextMessage()).isEqualTo(message);
        change.accept(slot);
        reader.open(slot, 0);
        assertThat(reader.next()).isEqualTo(SlotReader.Kind.OTHER);
        assertThatExceptionOfType(MalformedMessageException.class).isThrownBy(reader::message);
    }
}
