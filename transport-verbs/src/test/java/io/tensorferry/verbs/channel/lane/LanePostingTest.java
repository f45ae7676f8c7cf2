package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.channel.Departures;
import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.SendWorkRequest.Opcode;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The requests that a lane submits to its queue pair: the number of calls, the signaled requests, and the order of
/// large and small contents.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LanePostingTest {
    private static final int DEPTH = 64;
    private static final int CHUNK = 4096;
    private static final int RECEIVES = 1024;

    private final RecordingQueuePair queuePair = new RecordingQueuePair();
    private final List<String> events = new ArrayList<>();

    private Lane lane(int signalInterval, long bytesUnderWay) {
        return new Lane(
                1,
                queuePair,
                DEPTH,
                CHUNK,
                RECEIVES,
                RECEIVES / 4,
                new PostingOptions(signalInterval, CHUNK, bytesUnderWay, 0, 0));
    }

    private ContentWrite content(int slot, long length) {
        return new RecordedContent(slot, length, events);
    }

    private ContentWrite silent(int slot, long length) {
        ContentWrite write = content(slot, length);
        write.setSilent();
        return write;
    }

    private static void enqueue(Lane lane, ContentWrite write) {
        lane.enqueue(write, 0, write.length);
    }

    /// Handles a completion as the channel does.
    private static void complete(Lane lane, long workId) {
        PostedWork posted = lane.posted();
        while (posted.contains(workId)) {
            ContentWrite write = posted.oldestContents();
            posted.removeOldest();
            Departures.written(write, new TurnBudget());
        }
    }

    @Test
    void aTurnIsHandedOverInOneCallAndItsLastContentAsksForACompletion() {
        Lane lane = lane(0, 1 << 20);
        for (int i = 0; i < 5; i++) {
            enqueue(lane, content(i, 100));
        }
        assertThat(lane.pump()).isEqualTo(5);
        assertThat(queuePair.lists).isEmpty();
        lane.submit();
        assertThat(queuePair.lists).hasSize(1);
        assertThat(queuePair.sent()).extracting(Sent::signaled).containsExactly(false, false, false, false, true);
        complete(lane, queuePair.sent().getLast().workId());
        assertThat(events).containsExactly("written 0", "written 1", "written 2", "written 3", "written 4");
        lane.submit();
        assertThat(queuePair.lists).hasSize(1);
    }

    /// The processor copies inline contents.
    @Test
    void whatTheProcessorDoesNotReachIsNotInline() {
        queuePair.maxInlineBytes = 220;
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, content(0, 100));
        ContentWrite outOfReach = content(1, 100);
        outOfReach.setOutOfReach();
        enqueue(lane, outOfReach);
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::inline).containsExactly(true, false);
    }

    @Test
    void messagesAndAcknowledgementsAskForACompletionOnlyAfterAQuarterOfTheQueue() {
        Lane lane = lane(0, 1 << 20);
        for (int i = 0; i < DEPTH; i++) {
            lane.postMessage(1, 64, 1, 1, 1, null);
            lane.submit();
        }
        assertThat(lane.hasFreeSendSlot()).isFalse();
        List<Sent> sent = queuePair.sent();
        for (int i = 0; i < DEPTH; i++) {
            assertThat(sent.get(i).signaled()).as("request %d", i).isEqualTo(i % (DEPTH / 4) == DEPTH / 4 - 1);
        }
        complete(lane, sent.get(DEPTH / 4 - 1).workId());
        assertThat(lane.hasFreeSendSlot()).isTrue();
        assertThat(lane.posted().isEmpty()).isFalse();
    }

    @Test
    void aMessageBehindAContentInOneListLeavesNoMemoryUnasked() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, content(0, 100));
        lane.pump();
        lane.postMessage(1, 64, 1, 1, 1, null);
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::signaled).containsExactly(false, true);
        complete(lane, queuePair.sent().getLast().workId());
        assertThat(events).containsExactly("written 0");
    }

    @Test
    void theIntervalIsAnOption() {
        Lane lane = lane(1, 1 << 20);
        lane.postMessage(1, 64, 1, 1, 1, null);
        lane.postMessage(1, 64, 1, 1, 1, null);
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::signaled).containsExactly(true, true);
    }

    @Test
    void onlySoManyBytesAreUnderWayAndTheyAreAskedForInQuarters() {
        Lane lane = lane(0, 8 * CHUNK);
        enqueue(lane, content(0, 100 * CHUNK));
        assertThat(lane.pump()).isZero();
        lane.submit();
        assertThat(queuePair.sent())
                .hasSize(8)
                .extracting(Sent::signaled)
                .containsExactly(false, true, false, true, false, true, false, true);
        complete(lane, queuePair.sent().get(1).workId());
        assertThat(lane.pump()).isZero();
        lane.submit();
        assertThat(queuePair.sent()).hasSize(10);
        assertThat(lane.posted().bytesUnderWay()).isEqualTo(8 * CHUNK);
    }

    @Test
    void aSmallContentDoesNotWaitForALargeOne() {
        Lane lane = lane(0, 4 * CHUNK);
        enqueue(lane, content(0, 4L << 30));
        lane.pump();
        lane.submit();
        enqueue(lane, content(1, 100));
        complete(lane, queuePair.sent().getLast().workId());
        assertThat(lane.pump()).isEqualTo(1);
        lane.submit();
        assertThat(queuePair.sent().get(4).length()).isEqualTo(100);
    }

    @Test
    void manySmallContentsDoNotKeepALargeOneWaiting() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, content(0, 2 * CHUNK));
        for (int i = 1; i <= 20; i++) {
            enqueue(lane, content(i, CHUNK / 2));
        }
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent().stream().map(Sent::length).limit(7))
                .containsExactly(2048L, 2048L, 4096L, 2048L, 2048L, 4096L, 2048L);
    }

    @Test
    void largeContentsTakeTurns() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, content(0, 17 * CHUNK));
        enqueue(lane, content(1, 17 * CHUNK));
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent())
                .filteredOn(sent -> sent.opcode() == Opcode.RDMA_WRITE_WITH_IMM)
                .extracting(Sent::immediate)
                .containsExactly(0, 1);
        assertThat(queuePair
                        .sent()
                        .indexOf(queuePair.sent().stream()
                                .filter(sent -> sent.immediate() == 0 && sent.opcode() == Opcode.RDMA_WRITE_WITH_IMM)
                                .findFirst()
                                .orElseThrow()))
                .isEqualTo(32);
    }

    @Test
    void aSilentContentGoesWithoutImmediateAndIsWritten() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, silent(0, 100));
        enqueue(lane, silent(1, CHUNK));
        enqueue(lane, content(2, 100));
        enqueue(lane, silent(3, 0));
        assertThat(lane.pump()).as("immediates").isEqualTo(1);
        lane.submit();
        assertThat(queuePair.sent())
                .extracting(Sent::opcode)
                .containsExactly(Opcode.RDMA_WRITE, Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_WRITE);
        assertThat(queuePair.sent()).extracting(Sent::length).containsExactly(100L, 4096L, 100L, 0L);
        // The lane waits for its memory as for that of any other content.
        assertThat(queuePair.sent()).extracting(Sent::signaled).containsExactly(false, false, false, true);
        complete(lane, queuePair.sent().getLast().workId());
        assertThat(events).containsExactly("written 0", "written 1", "written 2", "written 3");
    }

    @Test
    void aSilentContentOfSeveralChunksTellsNothingAtItsEnd() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, silent(0, 2 * CHUNK + 1));
        assertThat(lane.pump()).isZero();
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::opcode).containsOnly(Opcode.RDMA_WRITE);
        assertThat(queuePair.sent())
                .extracting(sent -> WorkId.kind(sent.workId()))
                .containsExactly(WorkKind.CHUNK, WorkKind.CHUNK, WorkKind.CONTENT);
        complete(lane, queuePair.sent().getLast().workId());
        assertThat(events).containsExactly("written 0");
    }

    @Test
    void aSilentContentTakesNoReceiveOfThePeerAndIsNotUnconfirmed() {
        int receives = 16;
        var options = new PostingOptions(0, CHUNK, 1 << 20, 0, 0);
        var lane = new Lane(1, queuePair, DEPTH, CHUNK, receives, receives / 4, options);
        int allowed = receives - ConnectionParameters.RESERVED_RECEIVES;
        for (int i = 0; i <= allowed; i++) {
            enqueue(lane, silent(i, 100));
            enqueue(lane, silent(i, 200));
            enqueue(lane, content(i, 300));
        }
        assertThat(lane.pump()).isEqualTo(allowed);
        lane.submit();
        // The contents before the waiting one have been posted.
        assertThat(queuePair.sent()).hasSize(3 * allowed + 2);
        List<Integer> unconfirmed = new ArrayList<>();
        lane.addUnconfirmed(unconfirmed);
        assertThat(unconfirmed).hasSize(allowed).doesNotHaveDuplicates();
    }

    @Test
    void aContentThatIsSaidAnewIsNotSilent() {
        Lane lane = lane(0, 1 << 20);
        ContentWrite write = silent(0, 100);
        write.set(RecordedContent.LOCAL, 50, 1, RecordedContent.REMOTE, 2, 0);
        enqueue(lane, write);
        assertThat(lane.pump()).isEqualTo(1);
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::opcode).containsExactly(Opcode.RDMA_WRITE_WITH_IMM);
    }

    @Test
    void contentsOfAtMostAChunkKeepTheirOrderWhateverGoesBetweenThem() {
        Lane lane = lane(0, 1 << 20);
        enqueue(lane, content(0, 30 * CHUNK));
        enqueue(lane, content(1, 30 * CHUNK));
        List<Long> lengths = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            lengths.add((long) CHUNK - i);
            enqueue(lane, i < 10 ? silent(2, CHUNK - i) : content(2, CHUNK - i));
        }
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent())
                .filteredOn(sent -> sent.length() < CHUNK)
                .extracting(Sent::length)
                .isEqualTo(lengths);
        assertThat(queuePair.sent()).filteredOn(sent -> sent.length() == CHUNK).hasSize(DEPTH - 10);
    }

    /// For all sizes: each byte is written once, the immediate follows the last byte, if there is one, every content
    /// completes, and a content without a known completion at the end is abandoned.
    @Test
    void eachContentIsWrittenWholeAndAnsweredOnce() {
        for (int seed = 0; seed < 200; seed++) {
            queuePair.lists.clear();
            events.clear();
            run(new Random(seed));
        }
    }

    private void run(Random random) {
        Lane lane = lane(random.nextInt(3), (1 + random.nextInt(16)) * (long) CHUNK);
        int count = 1 + random.nextInt(60);
        long[] lengths = new long[count];
        int enqueued = 0;
        int completed = 0;
        int silent = 0;
        boolean breaksOff = random.nextInt(4) == 0;
        int steps = 0;
        while (events.size() < count && !(breaksOff && steps > 50)) {
            assertThat(++steps).as("steps").isLessThan(100_000);
            if (enqueued < count && random.nextBoolean()) {
                lengths[enqueued] = random.nextInt(3) == 0 ? random.nextInt(20 * CHUNK) : random.nextInt(200);
                boolean tells = random.nextInt(4) > 0;
                silent += tells ? 0 : 1;
                enqueue(lane, tells ? content(enqueued, lengths[enqueued]) : silent(enqueued, lengths[enqueued]));
                enqueued++;
            }
            lane.pump();
            lane.submit();
            List<Sent> sent = queuePair.sent();
            assertThat(sent.size() - completed).isLessThanOrEqualTo(DEPTH);
            for (int i = completed; i < sent.size() && random.nextInt(3) > 0; i++) {
                if (sent.get(i).signaled()) {
                    complete(lane, sent.get(i).workId());
                    completed = i + 1;
                }
            }
        }
        for (; enqueued < count; enqueued++) {
            enqueue(lane, content(enqueued, 1));
        }
        var abandoned = new ArrayList<ContentWrite>();
        lane.takeUnfinished(abandoned, new ArrayList<>());
        abandoned.forEach(ContentWrite::onAbandoned);
        assertThat(events).hasSize(count).doesNotHaveDuplicates();
        if (!breaksOff) {
            assertWhole(lengths, silent);
        }
    }

    /// Reads of 10 bytes each, one behind the other.
    private ReadBatch reads(String name, int count, int interval) {
        return new ReadBatch(count) {
            @Override
            protected void describe(int index, ReadRequest into) {
                into.set(1000 + 10L * index, 10, 1, 5000 + 10L * index, 2);
            }

            @Override
            protected int signalInterval() {
                return interval;
            }

            @Override
            public void onRead() {
                events.add("read " + name);
            }

            @Override
            public void onAbandoned() {
                events.add("abandoned " + name);
            }
        };
    }

    @Test
    void ofReadsOneInAnIntervalAndTheLastAskForACompletion() {
        Lane lane = lane(0, 1 << 20);
        lane.enqueue(reads("a", 10, 4));
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent()).extracting(Sent::opcode).containsOnly(Opcode.RDMA_READ);
        assertThat(queuePair.sent())
                .extracting(Sent::signaled)
                .containsExactly(false, false, false, true, false, false, false, true, false, true);
        assertThat(queuePair.sent().get(3).localAddress()).isEqualTo(1030);
        assertThat(queuePair.sent().get(3).remoteAddress()).isEqualTo(5030);
        List<ReadBatch> done = new ArrayList<>();
        while (!lane.posted().isEmpty()) {
            ReadBatch batch = lane.posted().oldestReads();
            lane.posted().removeOldest();
            if (batch != null) {
                done.add(batch);
            }
        }
        // The completion of the last read completes all.
        assertThat(done).hasSize(1);
    }

    @Test
    void readsLeaveAQuarterOfTheQueueToContents() {
        Lane lane = lane(0, 1 << 20);
        lane.enqueue(reads("a", 2 * DEPTH, 0));
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent()).hasSize(DEPTH - DEPTH / 4);
        enqueue(lane, content(0, 100));
        assertThat(lane.pump()).isEqualTo(1);
    }

    @Test
    void readsWaitForBytesUnderWay() {
        Lane lane = lane(0, CHUNK);
        enqueue(lane, content(0, CHUNK));
        lane.enqueue(reads("a", 1, 0));
        lane.pump();
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent()).hasSize(1);
        lane.posted().removeOldest();
        lane.pump();
        lane.submit();
        assertThat(queuePair.sent()).hasSize(2);
    }

    @Test
    void readsThatArePostedHalfPostedOrWaitingAreAllGivenBack() {
        Lane lane = lane(0, 1 << 20);
        lane.enqueue(reads("posted", 10, 0));
        lane.enqueue(reads("half", DEPTH, 0));
        lane.enqueue(reads("waiting", 1, 0));
        lane.pump();
        lane.submit();
        var abandoned = new ArrayList<ReadBatch>();
        lane.takeUnfinished(new ArrayList<>(), abandoned);
        abandoned.forEach(ReadBatch::onAbandoned);
        assertThat(events).containsExactly("abandoned posted", "abandoned half", "abandoned waiting");
    }

    private void assertWhole(long[] lengths, int silent) {
        long written = queuePair.sent().stream().mapToLong(Sent::length).sum();
        long wanted = 0;
        for (long length : lengths) {
            wanted += length;
        }
        assertThat(written).isEqualTo(wanted);
        assertThat(queuePair.sent())
                .filteredOn(sent -> WorkId.kind(sent.workId()) == WorkKind.CONTENT)
                .hasSize(lengths.length);
        assertThat(queuePair.sent())
                .filteredOn(sent -> sent.opcode() == Opcode.RDMA_WRITE_WITH_IMM)
                .hasSize(lengths.length - silent)
                .extracting(Sent::immediate)
                .doesNotHaveDuplicates();
        assertThat(queuePair.sent()).allSatisfy(sent -> {
            assertThat(sent.length()).isLessThanOrEqualTo(CHUNK);
            assertThat(sent.remoteAddress() - (1L << 41)).isEqualTo(sent.localAddress() - (1L << 40));
        });
    }
}
