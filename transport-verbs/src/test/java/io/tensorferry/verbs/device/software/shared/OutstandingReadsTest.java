package io.tensorferry.verbs.device.software.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OutstandingReadsTest {
    private static final long SEED = 5;

    @Test
    void keepsTheirOrderHoweverManyThereAre() {
        var reads = new OutstandingReads();
        var expected = new ArrayDeque<long[]>();
        var random = new Random(SEED);
        assertThat(reads.oldest()).isEqualTo(OutstandingReads.NONE);
        for (long request = 0; request < 10_000; request++) {
            if (random.nextInt(3) > 0) {
                long length = random.nextInt(1 << 20);
                reads.add(request, length);
                expected.add(new long[] {request, length});
            } else if (!expected.isEmpty()) {
                reads.remove();
                expected.remove();
            }
            if (!expected.isEmpty()) {
                assertThat(reads.oldest()).isEqualTo(expected.element()[0]);
                assertThat(reads.oldestLength()).isEqualTo(expected.element()[1]);
            }
        }
    }
}
