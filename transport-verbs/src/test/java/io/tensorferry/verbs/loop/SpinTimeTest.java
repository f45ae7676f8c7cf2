package io.tensorferry.verbs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinTimeTest {
    private static final long MOST = 50_000;

    private final SpinTime spin = new SpinTime(MOST);

    private void slept(int times, long ns) {
        for (int i = 0; i < times; i++) {
            spin.slept(ns);
        }
    }

    @Test
    void beginsWithTheMost() {
        assertThat(spin.currentNs()).isEqualTo(MOST);
    }

    @Test
    void aLoopAtRestStopsSpinning() {
        slept(6, 1_000_000);
        assertThat(spin.currentNs()).isZero();
    }

    @Test
    void workThatKeepsComingSoonMakesItSpinAgain() {
        slept(6, 1_000_000);
        slept(1, MOST);
        assertThat(spin.currentNs()).isEqualTo(1_000);
        slept(6, 3_000);
        assertThat(spin.currentNs()).isEqualTo(MOST);
    }

    @Test
    void oneLongSleepTakesHalf() {
        slept(1, MOST + 1);
        assertThat(spin.currentNs()).isEqualTo(MOST / 2);
    }

    @Test
    void neverSpinsWhereItMayNot() {
        var never = new SpinTime(0);
        never.slept(0);
        never.slept(10);
        assertThat(never.currentNs()).isZero();
    }

    @Test
    void anEndlessTimeStaysEndless() {
        var busy = new SpinTime(Long.MAX_VALUE);
        busy.slept(1_000_000);
        assertThat(busy.currentNs()).isEqualTo(Long.MAX_VALUE);
    }
}
