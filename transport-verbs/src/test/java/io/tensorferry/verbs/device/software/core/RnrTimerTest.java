package io.tensorferry.verbs.device.software.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RnrTimerTest {
    @Test
    void followsTheTableOfTheSpecification() {
        assertThat(RnrTimer.nanoseconds(0)).isEqualTo(655_360_000);
        assertThat(RnrTimer.nanoseconds(1)).isEqualTo(10_000);
        assertThat(RnrTimer.nanoseconds(12)).isEqualTo(640_000);
        assertThat(RnrTimer.nanoseconds(31)).isEqualTo(491_520_000);
        for (int code = 2; code < 32; code++) {
            assertThat(RnrTimer.nanoseconds(code)).isGreaterThan(RnrTimer.nanoseconds(code - 1));
        }
    }
}
