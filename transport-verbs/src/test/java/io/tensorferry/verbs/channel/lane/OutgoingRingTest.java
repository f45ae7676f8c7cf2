package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages that wait for room in the peer's ring, and their limit for a peer that requests much and accepts nothing.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OutgoingRingTest {
    /// The largest heap of a waiting answer.
    private static final long BYTES_EACH = 64;
    /// The first refusals keep their text.
    private static final long BYTES_OF_TEXTS = 32L << 20;

    private static final String LONG = "x".repeat(3_900);

    private final OutgoingRing ring = new OutgoingRing(null, new RemoteRegion(0, 0), 16, 4096, 4096);

    private static Message refusal(int number, String why) {
        return new Message.ErrorStatus(
                1,
                RequestIndex.of(number % RequestIndex.SLOTS, 0),
                Message.Direction.TO_RECEIVER,
                StatusCode.INVALID_ARGUMENT,
                why);
    }

    @Test
    void answersThatAPeerDoesNotTakeAreAViolationBeforeTheyFillTheHeap() {
        long before = usedHeap();
        for (int i = 0; i < OutgoingRing.MOST_ANSWERS; i++) {
            ring.requireAnswersTaken();
            // The longest key, where the length matters.
            ring.enqueue(refusal(i, "a text of its own " + (i < 8_000 ? LONG : "") + i));
        }
        ring.requireAnswersTaken();
        assertThat(usedHeap() - before)
                .as("heap of %d answers", OutgoingRing.MOST_ANSWERS)
                .isLessThan(OutgoingRing.MOST_ANSWERS * BYTES_EACH + BYTES_OF_TEXTS);
        ring.enqueue(refusal(0, "one too many"));
        assertThatExceptionOfType(ProtocolViolationException.class).isThrownBy(ring::requireAnswersTaken);
    }

    /// A worker may send any number of requests, and give all of them up again.
    @Test
    void whatThisWorkerAsksForIsNoAnswer() {
        for (int i = 0; i <= OutgoingRing.MOST_ANSWERS; i++) {
            ring.enqueue(new Message.ErrorStatus(
                    1, 7, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "the receiver gave the request up"));
        }
        ring.requireAnswersTaken();
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
