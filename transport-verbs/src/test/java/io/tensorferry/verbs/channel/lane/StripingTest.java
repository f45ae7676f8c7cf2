package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.channel.Departures;
import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.config.PostingOptions;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Contents that go over all lanes: the part of each lane, the time of the write, and the time of arrival.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StripingTest {
    private static final int CHUNK = 4096;
    private static final long STRIPE_BYTES = 10_000;
    private static final int RECEIVES = 64;

    private final List<RecordingQueuePair> queuePairs = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();
    private final List<String> events = new ArrayList<>();

    private Striping striping(int laneCount) {
        for (int i = 0; i <= laneCount; i++) {
            var queuePair = new RecordingQueuePair();
            queuePairs.add(queuePair);
            lanes.add(new Lane(
                    i, queuePair, 256, CHUNK, RECEIVES, RECEIVES / 4, new PostingOptions(1, CHUNK, 1 << 30, 0, 0)));
        }
        return new Striping(lanes, STRIPE_BYTES);
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 64})
    void eachByteIsWrittenOnceAndEachLaneSaysSoAtItsEnd(int laneCount) {
        Striping striping = striping(laneCount);
        int length = 123_457;
        striping.enqueue(content(5, length));
        pump();
        var written = new BitSet(length);
        for (int lane = 1; lane <= laneCount; lane++) {
            List<Sent> sent = queuePairs.get(lane).sent();
            for (Sent each : sent) {
                int from = (int) (each.localAddress() - RecordedContent.LOCAL);
                assertThat(each.remoteAddress() - RecordedContent.REMOTE).isEqualTo(from);
                assertThat(written.get(from, (int) (from + each.length())).isEmpty())
                        .isTrue();
                written.set(from, (int) (from + each.length()));
            }
            assertThat(sent)
                    .filteredOn(each -> WorkId.kind(each.workId()) == WorkKind.CONTENT)
                    .singleElement()
                    .isEqualTo(sent.getLast());
            assertThat(sent.getLast().immediate()).isEqualTo(RequestIndex.of(5, 0));
        }
        assertThat(written.cardinality()).isEqualTo(length);
        for (int lane = 1; lane <= laneCount; lane++) {
            assertThat(events).isEmpty();
            complete(lane);
        }
        assertThat(events).containsExactly("written 5");
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
