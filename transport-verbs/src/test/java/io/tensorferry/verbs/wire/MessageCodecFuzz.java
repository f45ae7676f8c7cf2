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
        if (message instanceof Message.ErrorStatus(var _, var _, var _, StatusCode code, var _)
                && code == StatusCode.UNKNOWN) {
            // A code of a later version is read as this one.
            MemorySegment.ofArray(slot).set(MessageLayout.U32, MessageLayout.STATUS_CODE, code.number());
        }
        assertThat(Arrays.copyOf(again, length)).isEqualTo(Arrays.copyOf(slot, length));
    }
}
