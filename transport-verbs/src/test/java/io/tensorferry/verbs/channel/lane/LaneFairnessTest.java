package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.SendWorkRequest.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Contents and reads that wait for one lane share it: neither kind waits for all of the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LaneFairnessTest {
    private static final int DEPTH = 64;
    private static final int CHUNK = 4096;
    private static final long UNDER_WAY = 4 * CHUNK;
    private static final int RECEIVES = 1 << 16;
    private static final long SHORT = 100;
    private static final long LONG = 1000L * CHUNK;

    private final RecordingQueuePair queuePair = new RecordingQueuePair();
    private final List<String> events = new ArrayList<>();
    private final Lane lane =
            new Lane(1, queuePair, DEPTH, CHUNK, RECEIVES, RECEIVES / 4, new PostingOptions(0, CHUNK, UNDER_WAY, 0, 0));

    private void write(long length) {
        lane.enqueue(new RecordedContent(0, length, events), 0, length);
    }

    /// Reads of at most a chunk each.
    private void read(long length) {
        lane.enqueue(new ReadBatch(Math.toIntExact(Math.ceilDiv(length, CHUNK))) {
            @Override
            protected void describe(int index, ReadRequest into) {
                into.set(1, Math.min(CHUNK, length - (long) index * CHUNK), 1, 1, 1);
            }

            @Override
            public void onRead() {
                events.add("read");
            }

            @Override
            public void onAbandoned() {
                events.add("abandoned");
            }
        });
    }

    private void pump() {
        lane.pump();
        lane.submit();
    }

    /// The device executes the oldest request, and the loop pumps, until the awaited request is posted.
    ///
    /// @return the bytes posted from now until this request
    private long bytesBefore(Predicate<Sent> waitedFor) {
        int seen = queuePair.sent().size();
        long bytes = 0;
        while (true) {
            pump();
            List<Sent> sent = queuePair.sent();
            for (; seen < sent.size(); seen++) {
                if (waitedFor.test(sent.get(seen))) {
                    return bytes;
                }
                bytes += sent.get(seen).length();
            }
            assertThat(lane.posted().isEmpty()).as("nothing more is posted").isFalse();
            lane.posted().removeOldest();
        }
    }

    private static boolean isRead(Sent sent) {
        return sent.opcode() == Opcode.RDMA_READ;
    }

    private static boolean isShortRead(Sent sent) {
        return isRead(sent) && sent.length() == SHORT;
    }

    private static boolean isContent(Sent sent) {
        return sent.opcode() == Opcode.RDMA_WRITE_WITH_IMM;
    }

    @Test
    void aReadBehindALargeContentGoesAfterAChunk() {
        write(LONG);
        pump();
        read(SHORT);
        assertThat(bytesBefore(LaneFairnessTest::isRead)).isLessThanOrEqualTo(CHUNK);
    }

    @Test
    void aContentBehindALongReadGoesAfterAChunk() {
        read(LONG);
        pump();
        write(SHORT);
        assertThat(bytesBefore(LaneFairnessTest::isContent)).isLessThanOrEqualTo(CHUNK);
    }

    @Test
    void aShortReadBehindALongOneGoesAfterAChunk() {
        read(LONG);
        pump();
        read(SHORT);
        assertThat(bytesBefore(LaneFairnessTest::isShortRead)).isLessThanOrEqualTo(CHUNK);
    }

    @Test
    void aLongReadIsServedWhileShortOnesKeepComing() {
        read(LONG);
        pump();
        for (int i = 0; i < 100 * DEPTH; i++) {
            read(SHORT);
        }
        assertThat(bytesBefore(sent -> sent.length() == CHUNK)).isLessThanOrEqualTo(CHUNK + SHORT);
    }

    @Test
    void aLongReadDoesNotWaitForAllOfAnother() {
        read(LONG);
        // Its second chunk takes turns with the chunks of the long read.
        read(2L * CHUNK);
        long turns = 0;
        while (!events.contains("read")) {
            pump();
            ReadBatch done = lane.posted().oldestReads();
            lane.posted().removeOldest();
            if (done != null) {
                done.onRead();
            }
            assertThat(++turns).as("reads before the end of the shorter one").isLessThan(40);
        }
    }

    @Test
    void readsAndContentsThatBothWaitGetTheSameBytes() {
        write(LONG);
        read(LONG);
        long[] bytes = new long[2];
        int seen = 0;
        for (int i = 0; i < 400; i++) {
            pump();
            List<Sent> sent = queuePair.sent();
            for (; seen < sent.size(); seen++) {
                bytes[isRead(sent.get(seen)) ? 1 : 0] += sent.get(seen).length();
            }
            lane.posted().removeOldest();
        }
        assertThat(bytes[0]).isGreaterThan(100L * CHUNK);
        assertThat(Math.abs(bytes[0] - bytes[1])).isLessThanOrEqualTo(2 * CHUNK);
    }

    @Test
    void aReadIsServedWhileSmallContentsKeepTheQueueFull() {
        for (int i = 0; i < 100 * DEPTH; i++) {
            write(1);
        }
        pump();
        assertThat(lane.hasFreeSendSlot()).isFalse();
        read(SHORT);
        assertThat(bytesBefore(LaneFairnessTest::isRead)).isLessThanOrEqualTo(DEPTH);
    }

    @Test
    void aContentIsServedWhileSmallReadsKeepTheirPartOfTheQueue() {
        for (int i = 0; i < 100 * DEPTH; i++) {
            read(1);
        }
        pump();
        write(SHORT);
        assertThat(bytesBefore(LaneFairnessTest::isContent)).isLessThanOrEqualTo(DEPTH);
    }
}
