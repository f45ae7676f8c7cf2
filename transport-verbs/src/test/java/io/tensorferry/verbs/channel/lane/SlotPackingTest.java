package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How waiting messages are packed into the slots of the ring.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SlotPackingTest {
    private final TestRing test = new TestRing();
    private final OutgoingRing ring = test.ring;
    private final Lane control = test.control;
    private final RecordingQueuePair queuePair = test.queuePair;

    @AfterEach
    void close() {
        test.close();
    }

    private static Message status(int number, int textBytes) {
        return new Message.ErrorStatus(
                number,
                RequestIndex.of(number, 0),
                Message.Direction.TO_SENDER,
                StatusCode.CANCELLED,
                "x".repeat(textBytes));
    }

    @Test
    void whatWaitsTogetherGoesInOneWrite() {
        List<Message> messages = List.of(new Message.Resumed(), status(1, 5), new Message.Heartbeat());
        messages.forEach(ring::enqueue);
        assertThat(ring.pump(control, Integer.MAX_VALUE)).isEqualTo(3);
        control.submit();
        assertThat(queuePair.sent()).hasSize(1);
        assertThat(queuePair.sent().getFirst().length()).isEqualTo(64 + 72 + 64);
        assertThat(test.inSlot(0)).isEqualTo(messages);
    }

    @Test
    void aMessageThatComesAloneGoesAlone() {
        for (int i = 0; i < 3; i++) {
            ring.enqueue(status(i, 0));
            assertThat(ring.pump(control, Integer.MAX_VALUE)).isEqualTo(1);
            assertThat(test.inSlot(i)).containsExactly(status(i, 0));
        }
    }

    @Test
    void whatDoesNotFitGoesIntoTheNextSlotAndATextIsCutOnlyThere() {
        ring.enqueue(status(1, 1000));
        ring.enqueue(status(2, 10_000));
        ring.enqueue(status(3, 0));
        assertThat(ring.pump(control, Integer.MAX_VALUE)).isEqualTo(3);
        assertThat(test.inSlot(0)).containsExactly(status(1, 1000));
        assertThat(test.inSlot(1)).containsExactly(status(2, TestRing.SLOT_BYTES - 64));
        assertThat(test.inSlot(2)).containsExactly(status(3, 0));
    }

    /// For all sizes and arrivals: each message once, in order; and slots are reused only after they were
    /// acknowledged.
    @Test
    void allComeInTheirOrder() {
        var random = new Random(7);
        var sent = new ArrayList<Message>();
        var arrived = new ArrayList<Message>();
        int slots = 0;
        while (arrived.size() < 2_000) {
            for (int i = random.nextInt(40); i > 0 && sent.size() < 2_000; i--) {
                Message message = status(sent.size(), random.nextInt(TestRing.SLOT_BYTES - 64));
                sent.add(message);
                ring.enqueue(message);
            }
            ring.pump(control, Integer.MAX_VALUE);
            control.submit();
            List<Sent> writes = queuePair.sent();
            assertThat(writes.size() - slots).isLessThanOrEqualTo(TestRing.SLOTS);
            while (writes.size() - slots >= TestRing.SLOTS / 4) {
                for (int i = 0; i < TestRing.SLOTS / 4; i++) {
                    arrived.addAll(test.inSlot(slots++ % TestRing.SLOTS));
                }
                ring.onAcknowledged(control.onAcknowledgement());
            }
            if (sent.size() == 2_000 && ring.isIdle()) {
                while (slots < writes.size()) {
                    arrived.addAll(test.inSlot(slots++ % TestRing.SLOTS));
                }
            }
            PostedWork posted = control.posted();
            while (!posted.isEmpty()) {
                posted.removeOldest();
            }
        }
        assertThat(arrived).isEqualTo(sent);
    }
}
