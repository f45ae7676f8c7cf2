package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostingTest {
    @Test
    void longMessagesAreFewAtATime() {
        assertThat(Posting.of(8)).isEqualTo(new Posting(64, 16));
        assertThat(Posting.of(1 << 20)).isEqualTo(new Posting(16, 4));
        assertThat(Posting.of(8 << 20)).isEqualTo(new Posting(4, 1));
        assertThat(Posting.of(1L << 40)).isEqualTo(new Posting(4, 1));
    }

    @Test
    void aFullSendQueueAlwaysHoldsASignalledRequest() {
        for (long bytes = 1; bytes < 1L << 32; bytes = bytes * 3 + 1) {
            Posting posting = Posting.of(bytes);

            assertThat(posting.depth()).isBetween(posting.signalEvery(), Posting.DEEPEST);
            assertThat(posting.depth() % posting.signalEvery()).isZero();
        }
    }
}
