package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetTest {
    @Test
    void theMedianDecides() {
        Target target = Target.atLeast(0.8, "one / other");

        assertThat(target.verdict("16 MiB", new Spread(0.8, 0.5, 0.9)))
                .matches(Target.Verdict::isMet)
                .hasToString("met    one / other, 16 MiB: 0.80 (0.50..0.90), at least 0.80");
        assertThat(target.verdict("16 MiB", new Spread(0.6, 0.5, 0.9)))
                .matches(verdict -> !verdict.isMet())
                .hasToString("missed one / other, 16 MiB: 0.60 (0.50..0.90), at least 0.80: missed by 25 %");
    }

    @Test
    void lessMayBeBetter() {
        Target target = Target.atMost(1.5, "one / other");

        assertThat(target.verdict("4 KiB", new Spread(1.5, 1, 2)).isMet()).isTrue();
        assertThat(target.verdict("4 KiB", new Spread(3, 1, 4)))
                .hasToString("missed one / other, 4 KiB: 3.00 (1.00..4.00), at most 1.50: missed by 100 %");
        assertThat(Target.atMost(0, "bytes").verdict("", new Spread(0, 0, 0)).isMet())
                .isTrue();
    }
}
