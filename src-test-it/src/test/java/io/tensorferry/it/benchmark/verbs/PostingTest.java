package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostingTest {
    @Test
    void longMessagesAreFewAtATime() {
        assertThat(Posting.of(8, Queues.ONE)).isEqualTo(new Posting(64, 16, Queues.ONE));
        assertThat(Posting.of(1 << 20, Queues.ONE)).isEqualTo(new Posting(16, 4, Queues.ONE));
        assertThat(Posting.of(8 << 20, Queues.ONE)).isEqualTo(new Posting(4, 1, Queues.ONE));
        assertThat(Posting.of(1L << 40, Queues.ONE)).isEqualTo(new Posting(4, 1, Queues.ONE));
    }

    @Test
    void aFullSendQueueAlwaysHoldsASignalledRequestAndWholeLists() {
        for (int list = 1; list <= Posting.DEEPEST; list++) {
            for (long bytes = 1; bytes < 1L << 32; bytes = bytes * 3 + 1) {
                Posting posting = Posting.of(bytes, new Queues(4, list));

                assertThat(posting.depth()).isBetween(posting.signalEvery(), Posting.DEEPEST);
                assertThat(posting.depth() % posting.signalEvery()).isZero();
                assertThat(posting.depth() % posting.queues().list()).isZero();
                assertThat(posting.countPerLane(101) % posting.queues().list()).isZero();
                assertThat(posting.countPerLane(101) * 4).isGreaterThanOrEqualTo(101);
            }
        }
    }

    @Test
    void whatANameSaysIsUnderWay() {
        var queues = new Queues(8, 128, 2048);
        assertThat(Posting.of(2048, queues)).isEqualTo(new Posting(2048, 128, queues));
        assertThat(Posting.of(2048, new Queues(8, 1, 1))).isEqualTo(new Posting(1, 1, new Queues(8, 1, 1)));
    }

    @Test
    void aListIsSignalledAtItsEnd() {
        assertThat(Posting.of(8, new Queues(1, 16))).isEqualTo(new Posting(64, 16, new Queues(1, 16)));
        assertThat(Posting.of(8 << 20, new Queues(2, 16))).isEqualTo(new Posting(4, 4, new Queues(2, 4)));
    }
}
