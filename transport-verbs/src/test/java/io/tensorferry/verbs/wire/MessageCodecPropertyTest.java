package io.tensorferry.verbs.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.wire.Message.ErrorStatus;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

@Domain(Messages.class)
@Domain(DomainContext.Global.class)
class MessageCodecPropertyTest {
    @Property(tries = 3000)
    void whatIsEncodedIsDecodedAgain(@ForAll Message message) {
        byte[] slot = dirty(MessageCodec.encodedSize(message) + 24);

        int length = MessageCodec.encode(message, MemorySegment.ofArray(slot));

        assertThat(length).isEqualTo(MessageCodec.encodedSize(message)).isBetween(24, MessageCodec.MAX_MESSAGE_BYTES);
        assertThat(length % 8).isZero();
        assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(message);
    }

    @Property(tries = 500)
    void theBytesDependOnTheMessageAlone(@ForAll Message message) {
        int length = MessageCodec.encodedSize(message);
        byte[] clean = new byte[length];
        byte[] dirty = dirty(length + 8);

        MessageCodec.encode(message, MemorySegment.ofArray(clean));
        MessageCodec.encode(message, MemorySegment.ofArray(dirty));

        assertThat(Arrays.copyOf(dirty, length)).isEqualTo(clean);
        assertThat(Arrays.copyOfRange(dirty, length, length + 8)).containsOnly(0xAB);
    }

    @Property(tries = 3000)
    void aReaderReadsWithoutAnObjectWhatComesForEachTransfer(@ForAll Message message) {
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
    }

    @Property(tries = 500)
    void aMessageCutShortIsRefused(@ForAll Message message, @ForAll @IntRange(min = 1, max = 64) int missing) {
        byte[] bytes = new byte[MessageCodec.encodedSize(message)];
        MessageCodec.encode(message, MemorySegment.ofArray(bytes));

        byte[] cut = Arrays.copyOf(bytes, Math.max(0, bytes.length - missing));

        assertThatExceptionOfType(MalformedMessageException.class)
                .isThrownBy(() -> MessageCodec.decode(MemorySegment.ofArray(cut)));
    }

    @Property(tries = 500)
    void aStatusMessageIsCutToTheSlotBetweenTwoCharacters(
            @ForAll ErrorStatus status, @ForAll @IntRange(min = 64, max = 400) int slotBytes) {
        byte[] slot = dirty(slotBytes);

        int length = MessageCodec.encode(status, MemorySegment.ofArray(slot));

        assertThat(length).isLessThanOrEqualTo(slotBytes);
        var decoded = (ErrorStatus) MessageCodec.decode(MemorySegment.ofArray(slot));
        assertThat(status.message()).startsWith(decoded.message());
        int kept = decoded.message().getBytes(UTF_8).length;
        int limit = MessageCodec.maxStatusBytes(slotBytes);
        assertThat(kept).isLessThanOrEqualTo(limit);
        if (!decoded.message().equals(status.message())) {
            assertThat(kept).as("no more is cut than one character").isGreaterThan(limit - 4);
        }
    }

    @Property(tries = 1000)
    void textIsEncodedAsJavaDoes(@ForAll String anyText) {
        byte[] expected = anyText.getBytes(UTF_8);
        int length = Utf8.length(anyText, Integer.MAX_VALUE);
        byte[] written = new byte[length];

        Utf8.write(anyText, length, MemorySegment.ofArray(written), 0);

        assertThat(written).isEqualTo(expected);
        assertThat(Utf8.isWellFormed(anyText)).isEqualTo(UTF_8.newEncoder().canEncode(anyText));
    }

    private static byte[] dirty(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xAB);
        return bytes;
    }
}
