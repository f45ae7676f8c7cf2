package io.tensorferry.verbs.channel.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.wire.Immediate;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ImmediateCreditsTest {
    private static final int DEPTH = 32;
    private static final int BATCH = DEPTH / 4;

    @Test
    void keepsTheReserveForAcknowledgements() {
        var credits = new ImmediateCredits(DEPTH, BATCH);
        int sent = 0;
        while (credits.maySend()) {
            credits.sent(Immediate.CONTROL_MESSAGE);
            sent++;
        }
        assertThat(sent).isEqualTo(DEPTH - ConnectionParameters.RESERVED_RECEIVES);
        for (int i = 0; i < BATCH; i++) {
            credits.received();
        }
        assertThat(credits.mayAcknowledge()).isTrue();
    }

    @Test
    void findsThatAPeerSentMoreThanItHadCreditsFor() {
        var credits = new ImmediateCredits(DEPTH, BATCH);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(credits.received()).isTrue();
        }
        assertThat(credits.received()).isFalse();
    }

    @Test
    void refusesAnAcknowledgementOfMoreThanWasSent() {
        var credits = new ImmediateCredits(DEPTH, BATCH);
        credits.sent(Immediate.CONTROL_MESSAGE);
        assertThat(credits.onAcknowledgement()).isEqualTo(-1);
    }

    /// Two ends that send as fast as they may, over wires that deliver in a random order of turns: no end ever
    /// blocks, and no receive queue is overrun.
    @Test
    void twoBusyEndsNeverStarveEachOther() {
        for (long seed = 0; seed < 50; seed++) {
            for (int depth : new int[] {32, 35, 47, 64, 1024}) {
                new Duel(depth, depth / 4, seed).run();
            }
            for (int slots : new int[] {16, 64, 256}) {
                new Duel(slots + ConnectionParameters.RESERVED_RECEIVES, slots / 4, seed).run();
            }
        }
    }

    private static final class Duel {
        private final int depth;
        private final int batch;
        private final long seed;
        private final Random random;
        private final ImmediateCredits[] ends = new ImmediateCredits[2];
        // What is under way to each end: true for an acknowledgement.
        private final List<ArrayDeque<Boolean>> wires = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        private final int[] toSend = {20_000, 20_000};

        Duel(int depth, int batch, long seed) {
            this.depth = depth;
            this.batch = batch;
            this.seed = seed;
            this.random = new Random(seed);
            for (int i = 0; i < 2; i++) {
                ends[i] = new ImmediateCredits(depth, batch);
            }
        }

        void run() {
            while (toSend[0] > 0 || toSend[1] > 0) {
                boolean moved = false;
                int first = random.nextInt(2);
                for (int turn = 0; turn < 2; turn++) {
                    int end = first ^ turn;
                    moved |= send(end);
                    moved |= receive(end);
                }
                assertThat(moved)
                        .as("depth %d, seed %d: both ends are stuck", depth, seed)
                        .isTrue();
            }
        }

        private boolean send(int end) {
            boolean moved = false;
            var wire = wires.get(1 - end);
            while (ends[end].mayAcknowledge()) {
                ends[end].acknowledged();
                ends[end].sent(Immediate.ACKNOWLEDGEMENT);
                wire.add(true);
                moved = true;
            }
            int burst = 1 + random.nextInt(depth * 2);
            while (burst-- > 0 && toSend[end] > 0 && ends[end].maySend()) {
                ends[end].sent(Immediate.CONTROL_MESSAGE);
                wire.add(false);
                toSend[end]--;
                moved = true;
            }
            assertThat(wire.size()).as("receives posted at the peer").isLessThanOrEqualTo(depth);
            return moved;
        }

        private boolean receive(int end) {
            var wire = wires.get(end);
            int burst = 1 + random.nextInt(depth);
            boolean moved = false;
            while (burst-- > 0 && !wire.isEmpty()) {
                if (wire.remove()) {
                    assertThat(ends[end].onAcknowledgement()).isBetween(0, batch);
                }
                assertThat(ends[end].received())
                        .as("depth %d, seed %d: an honest peer is within its credits", depth, seed)
                        .isTrue();
                moved = true;
            }
            return moved;
        }
    }
}
