package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tensorferry.verbs.channel.Departures;
import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.RequestIndex;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Contents that go over all lanes: the part of each lane, the time of the write, and the time of arrival.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StripingTest {
    private static final int CHUNK = 4096;
    private static final long STRIPE_BYTES = 10_000;
    private static final int RECEIVES = 64;
    private static final int SEND_DEPTH = 256;
    /// Reads leave a quarter of the send queue to others, so that a lane posts these bytes at once.
    private static final long MOST_BYTES = SEND_DEPTH * 3L / 4 * CHUNK;
    private static final long NEVER_STRIPED = 1L << 40;

    private final List<RecordingQueuePair> queuePairs = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();
    private final List<String> events = new ArrayList<>();

    private Striping striping(int laneCount) {
        return striping(laneCount, STRIPE_BYTES);
    }

    private Striping striping(int laneCount, long stripeBytes) {
        for (int i = 0; i <= laneCount; i++) {
            var queuePair = new RecordingQueuePair();
            queuePairs.add(queuePair);
            lanes.add(new Lane(
                    i,
                    queuePair,
                    SEND_DEPTH,
                    CHUNK,
                    RECEIVES,
                    RECEIVES / 4,
                    new PostingOptions(1, CHUNK, 1 << 30, 0, 0)));
        }
        return new Striping(lanes, stripeBytes);
    }

    private ContentWrite content(int slot, long length) {
        return new RecordedContent(slot, length, events);
    }

    private List<Integer> abandon() {
        try (var test = new TestRing()) {
            return new Departures(lanes, test.ring, new SlabKeys(test.ring), new ChannelCounters(), new TurnBudget())
                    .abandon();
        }
    }

    private void pump() {
        for (Lane lane : lanes) {
            lane.pump();
            lane.submit();
        }
    }

    /// Handles the last completion of a lane as the channel does.
    private void complete(int lane) {
        PostedWork posted = lanes.get(lane).posted();
        while (!posted.isEmpty()) {
            ContentWrite write = posted.oldestContents();
            posted.removeOldest();
            Departures.written(write, new TurnBudget());
        }
    }

    /// Also where the index and the number together take more than 32 bits, or the index is negative as an `int`.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void piecesTakeTheLanesInTurnFromThatOfTheirRequestOn(int laneCount) {
        Striping striping = striping(laneCount);
        for (int index : new int[] {0, 5, Integer.MAX_VALUE, Integer.MIN_VALUE, 0xFFEFFFFF}) {
            assertThat(striping.laneOfPiece(index, 0)).isSameAs(striping.laneOf(index));
            for (int piece : new int[] {0, 1, 2, laneCount, 1 << 20, Integer.MAX_VALUE}) {
                long sum = (index & 0xFFFFFFFFL) + piece;
                assertThat(striping.laneOfPiece(index, piece).index())
                        .as("request %x, piece %d", index, piece)
                        .isEqualTo(1 + (int) (sum % laneCount));
            }
        }
    }

    /// Lengths around every boundary: of a chunk, of an even split over the lanes, of the threshold; and some between.
    private static long[] lengths(int laneCount, long stripeBytes) {
        long split = (long) laneCount * CHUNK;
        var lengths = LongStream.of(
                        0, 1, CHUNK, 2 * CHUNK, split, 2 * split, split + CHUNK, 3 * split + 17, stripeBytes, 123_457)
                .flatMap(length -> LongStream.of(length - 1, length, length + 1));
        return LongStream.concat(lengths, new Random(laneCount).longs(20, 0, 3 * split))
                .filter(length -> length >= 0 && length <= MOST_BYTES)
                .distinct()
                .toArray();
    }

    static Stream<Arguments> lanesAndThresholds() {
        return Stream.of(1, 2, 3, 4, 64)
                .flatMap(laneCount -> Stream.of(1L, STRIPE_BYTES, NEVER_STRIPED)
                        .map(stripeBytes -> arguments(laneCount, stripeBytes)));
    }

    @ParameterizedTest
    @MethodSource("lanesAndThresholds")
    void eachByteIsWrittenOnceAndEachLaneSaysSoAtItsEnd(int laneCount, long stripeBytes) {
        for (long length : lengths(laneCount, stripeBytes)) {
            forgetLanes();
            Striping striping = striping(laneCount, stripeBytes);
            striping.enqueue(content(5, length));
            pump();
            boolean striped = length >= stripeBytes && laneCount > 1;
            assertThat(striping.lanesOf(length)).as("lanes of %d bytes", length).isEqualTo(striped ? laneCount : 1);
            List<Integer> used = assertCovered(length, SendWorkRequest.Opcode.RDMA_WRITE_WITH_IMM);
            assertThat(used)
                    .as("the lanes of %d bytes", length)
                    .containsExactlyElementsOf(
                            striped
                                    ? IntStream.rangeClosed(1, laneCount)
                                            .boxed()
                                            .toList()
                                    : List.of(striping.laneOf(RequestIndex.of(5, 0))
                                            .index()));
            long share = (length + used.size() - 1) / used.size();
            for (int lane : used) {
                List<Sent> sent = queuePairs.get(lane).sent();
                assertThat(sent.stream().mapToLong(Sent::length).sum())
                        .as("bytes of lane %d of %d, an even share aligned", lane, length)
                        .isLessThan(share + CHUNK);
                assertThat(sent)
                        .filteredOn(each -> WorkId.kind(each.workId()) == WorkKind.CONTENT)
                        .as("the ends of lane %d, %d bytes", lane, length)
                        .singleElement()
                        .isEqualTo(sent.getLast());
                assertThat(sent.getLast().immediate()).isEqualTo(RequestIndex.of(5, 0));
            }
            for (int lane : used) {
                assertThat(events)
                        .as("written before lane %d is, %d bytes", lane, length)
                        .isEmpty();
                complete(lane);
            }
            assertThat(events).containsExactly("written 5");
        }
    }

    /// Over the lanes that a write of as many bytes uses, except lanes without a byte.
    @ParameterizedTest
    @MethodSource("lanesAndThresholds")
    void eachByteIsReadOnce(int laneCount, long stripeBytes) {
        for (long length : lengths(laneCount, stripeBytes)) {
            if (length == 0) {
                continue;
            }
            forgetLanes();
            Striping striping = striping(laneCount, stripeBytes);
            striping.enqueue(new RecordedRead(length), RequestIndex.of(5, 0));
            pump();
            List<Integer> used = assertCovered(length, SendWorkRequest.Opcode.RDMA_READ);
            assertThat(used).hasSizeLessThanOrEqualTo(striping.lanesOf(length));
            if (striping.lanesOf(length) == 1) {
                assertThat(used)
                        .containsExactly(striping.laneOf(RequestIndex.of(5, 0)).index());
            }
            for (int lane : used) {
                assertThat(events)
                        .as("read before lane %d is, %d bytes", lane, length)
                        .isEmpty();
                PostedWork posted = lanes.get(lane).posted();
                while (!posted.isEmpty()) {
                    ReadBatch batch = posted.oldestReads();
                    posted.removeOldest();
                    if (batch != null) {
                        batch.onRead();
                    }
                }
            }
            assertThat(events).as("%d bytes", length).containsExactly("read");
        }
    }

    private final class RecordedRead extends ContentRead {
        RecordedRead(long length) {
            set(RecordedContent.LOCAL, length, 1, RecordedContent.REMOTE, 2);
        }

        @Override
        protected void onContentRead() {
            events.add("read");
        }

        @Override
        public void onContentAbandoned() {
            events.add("abandoned");
        }
    }

    private void forgetLanes() {
        queuePairs.clear();
        lanes.clear();
        events.clear();
    }

    /// Every byte was sent once, in requests of at most a chunk, to its own place, and each lane has one aligned part.
    ///
    /// @param last the opcode of the last request of each lane
    /// @return the data lanes that sent anything
    private List<Integer> assertCovered(long length, SendWorkRequest.Opcode last) {
        var covered = new BitSet();
        List<Integer> used = new ArrayList<>();
        assertThat(queuePairs.getFirst().sent()).as("on the control queue pair").isEmpty();
        for (int lane = 1; lane < queuePairs.size(); lane++) {
            List<Sent> sent = queuePairs.get(lane).sent();
            if (sent.isEmpty()) {
                continue;
            }
            used.add(lane);
            assertThat(sent.getLast().opcode()).isEqualTo(last);
            long next = sent.getFirst().localAddress() - RecordedContent.LOCAL;
            assertThat(next == length || next % CHUNK == 0)
                    .as("part at %d of %d", next, length)
                    .isTrue();
            for (Sent each : sent) {
                assertThat(each.localAddress() - RecordedContent.LOCAL).isEqualTo(next);
                assertThat(each.remoteAddress() - RecordedContent.REMOTE).isEqualTo(next);
                assertThat(each.length()).isBetween(0L, (long) CHUNK);
                assertThat(each.length() > 0 || sent.size() == 1)
                        .as("an empty request beside others")
                        .isTrue();
                int from = (int) next;
                next += each.length();
                assertThat(covered.get(from, (int) next).isEmpty())
                        .as("bytes sent twice, %d bytes", length)
                        .isTrue();
                covered.set(from, (int) next);
            }
        }
        assertThat(covered.cardinality()).isEqualTo((int) length);
        assertThat(covered.length()).isEqualTo((int) length);
        return used;
    }

    @Test
    void aContentBelowTheThresholdGoesOverTheLaneOfItsIndex() {
        Striping striping = striping(4);
        striping.enqueue(content(6, STRIPE_BYTES - 1));
        striping.enqueue(content(7, 0));
        pump();
        assertThat(queuePairs.get(3).sent())
                .isNotEmpty()
                .allMatch(sent -> sent.localAddress() < RecordedContent.LOCAL + STRIPE_BYTES);
        assertThat(queuePairs.get(4).sent()).hasSize(1);
        assertThat(queuePairs.get(1).sent()).isEmpty();
        assertThat(queuePairs.get(2).sent()).isEmpty();
    }

    @Test
    void aContentOfWhichOneLaneIsMissingIsGivenBackOnceAndIsNotUnconfirmed() {
        Striping striping = striping(3);
        striping.enqueue(content(1, 50_000));
        striping.enqueue(content(2, 50_000));
        pump();
        complete(1);
        complete(2);
        striping.enqueue(content(3, 50_000));
        assertThat(abandon()).isEmpty();
        assertThat(events).containsExactlyInAnyOrder("abandoned 1", "abandoned 2", "abandoned 3");
    }

    /// A part that brings no immediate counts as well as one that does.
    @Test
    void aContentOfWhichASilentPartIsMissingIsNotUnconfirmed() {
        Striping striping = striping(2);
        ContentWrite part = content(5, CHUNK);
        part.setSilent();
        striping.enqueuePart(part, 2);
        striping.enqueuePart(content(5, CHUNK), 1);
        striping.enqueuePart(content(6, CHUNK), 1);
        pump();
        complete(1);
        assertThat(abandon()).containsExactly(RequestIndex.of(6, 0));
        assertThat(events).containsExactly("written 5", "written 6", "abandoned 5");
    }

    @Test
    void aPartGoesOverTheLaneThatIsNamedWhateverItsSize() {
        Striping striping = striping(3);
        striping.enqueuePart(content(0, 50_000), 3);
        pump();
        assertThat(queuePairs.get(3).sent()).hasSize(50_000 / CHUNK + 1);
        assertThat(queuePairs.get(1).sent()).isEmpty();
        assertThat(queuePairs.get(2).sent()).isEmpty();
        complete(3);
        assertThat(events).containsExactly("written 0");
    }

    @Test
    void aContentThatWentOverAllLanesIsUnconfirmedUntilThePeerHasAcknowledgedItOnEach() {
        Striping striping = striping(2);
        for (int i = 0; i < RECEIVES / 4; i++) {
            striping.enqueue(content(i, 50_000));
        }
        pump();
        complete(1);
        complete(2);
        lanes.get(1).onAcknowledgement();
        assertThat(abandon()).hasSize(RECEIVES / 4).contains(RequestIndex.of(3, 0));
        assertThat(events).hasSize(RECEIVES / 4).allMatch(event -> event.startsWith("written"));
    }

    @Test
    void aContentHasLandedWhenEveryLaneHasSaidSo() {
        Striping striping = striping(4);
        int index = RequestIndex.of(9, 7);
        striping.await(index, STRIPE_BYTES, MemoryGrant.LASTING);
        assertThat(striping.arrived(index, 3)).isFalse();
        assertThat(striping.arrived(index, 1)).isFalse();
        assertThat(striping.arrived(index, 4)).isFalse();
        assertThatExceptionOfType(ProtocolViolationException.class).isThrownBy(() -> striping.arrived(index, 4));
        assertThat(striping.arrived(index, 2)).isTrue();
        assertThat(striping.await(RequestIndex.of(10, 7), STRIPE_BYTES - 1, MemoryGrant.LASTING))
                .isSameAs(MemoryGrant.LASTING);
        assertThat(striping.arrived(RequestIndex.of(10, 7), 3)).isTrue();
    }

    /// Compared with a plain map: contents that are awaited, land lane by lane, or are given up in between.
    @Test
    void anyNumberIsAwaitedAtOnce() {
        for (int seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            int laneCount = 1 + random.nextInt(64);
            var contents = new StripedContents(laneCount);
            Map<Integer, BitSet> model = new HashMap<>();
            Map<Integer, MemoryGrant> grants = new HashMap<>();
            for (int step = 0; step < 5_000; step++) {
                int index = RequestIndex.of(random.nextInt(300), random.nextInt(3));
                if (!model.containsKey(index) && random.nextInt(3) == 0) {
                    grants.put(index, contents.await(index));
                    model.put(index, new BitSet());
                } else if (random.nextInt(200) == 0 && grants.containsKey(index)) {
                    grants.remove(index).revoke(() -> {});
                    model.remove(index);
                } else {
                    int lane = 1 + random.nextInt(laneCount);
                    BitSet seen = model.get(index);
                    if (seen == null) {
                        assertThat(contents.arrived(index, lane)).isTrue();
                    } else if (!seen.get(lane)) {
                        seen.set(lane);
                        boolean all = seen.cardinality() == laneCount;
                        assertThat(contents.arrived(index, lane)).isEqualTo(all);
                        if (all) {
                            model.remove(index);
                            grants.remove(index).revoke(() -> {});
                        }
                    }
                }
                assertThat(contents.size()).isEqualTo(model.size());
            }
        }
    }
}
