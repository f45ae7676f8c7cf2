package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tensorferry.api.StatusCode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/// Any bytes in a slot of the ring: a message that is written as the same bytes again, or malformed.
@Timeout(value = 5, unit = TimeUnit.SECONDS)
class MessageCodecFuzz {
    @FuzzTest
    void anySlotIsMessagesOrMalformed(byte[] bytes) {
        byte[] slot = Arrays.copyOf(bytes, Math.clamp((bytes.length + 7L) / 8 * 8, 8, 4096));
        var reader = new SlotReader(slot.length);
        reader.open(MemorySegment.ofArray(slot), 0);
        int offset = 0;
        try {
            do {
                Message message = reader.nextMessage();
                byte[] again = new byte[slot.length - offset];
                int length = message.encode(MemorySegment.ofArray(again), 0, again.length);
                boolean follows = (slot[offset + MessageLayout.TYPE] & MessageLayout.MORE) != 0;
                assertThat(follows).isEqualTo(reader.hasMore());
                offset += length;
            } while (reader.hasMore());
        } catch (MalformedMessageException _) {
            return;
        }
        assertThat(offset).isBetween(MessageCodec.MIN_MESSAGE_BYTES, slot.length);
    }

    @FuzzTest
    void anyBytesAreAMessageOrMalformed(byte[] slot) {
        Message message;
        try {
            message = MessageCodec.decode(MemorySegment.ofArray(slot));
        } catch (MalformedMessageException _) {
            return;
        }
        byte[] again = new byte[slot.length];
        int length = MessageCodec.encode(message, MemorySegment.ofArray(again));
        assertThat(length).isEqualTo(MessageCodec.encodedSize(message));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(again))).isEqualTo(message);
        StatusCode code = switch (message) {
            case Message.ErrorStatus status -> status.code();
            case Message.EdgeStatus status -> status.code();
            case Message.PartStatus status -> status.code();
            default -> StatusCode.OK;
        };
        if (code == StatusCode.UNKNOWN) {
            // A code of a later version is read as this one.
            MemorySegment.ofArray(slot).set(MessageLayout.U32, MessageLayout.STATUS_CODE, code.number());
        }
        assertThat(Arrays.copyOf(again, length)).isEqualTo(Arrays.copyOf(slot, length));
    }
}
