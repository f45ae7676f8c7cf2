package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives with a deadline, under a virtual clock: it is kept to the nanosecond, and afterwards all is as if the
/// receive had been cancelled.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DeadlineScenarioTest {
    /// Until a callback that is due has run.
    private static final long CALLBACK_NS = MILLISECOND_NS;

    @Test
    void aReceiveEndsAtItsDeadlineWhateverKeptItUp() {
        try (var scenario = new Scenario(1, 2, 1, SimulatedCluster.Options.defaults(), Scenario.network())) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            long from = scenario.fabric.now();
            var noTensor = scenario.receive(1, 0, 1, "never", Duration.ofMillis(700));
            var noPeer = scenario.receive(2, 0, 1, "absent", Duration.ofMillis(700));
            var sameWorker = scenario.receive(0, 0, 1, "local", Duration.ofMillis(700));
            scenario.runFor(700 * MILLISECOND_NS - 1);
            for (var receive : new Scenario.Receive[] {noTensor, noPeer, sameWorker}) {
                assertThat(receive.hasEnded()).isFalse();
            }
            scenario.runFor(CALLBACK_NS);
            assertThat(scenario.fabric.now() - from).isLessThan(702 * MILLISECOND_NS);
            for (var receive : new Scenario.Receive[] {noTensor, noPeer, sameWorker}) {
                assertThat(receive.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
                assertThat(receive.failure()).hasMessageContaining("PT0.7S");
            }
            // Nobody waits for these tensors any more: they serve the next receives.
            scenario.exchange(1, 0, 1, "never", 100, 2);
            scenario.exchange(0, 0, 1, "local", 100, 3);
            scenario.end();
        }
    }

    @Test
    void aReceiveThatEndsInTimeHearsNothingOfItsDeadline() {
        try (var scenario = new Scenario(2, 2)) {
            var remote = scenario.receive(1, 0, 1, "remote", Duration.ofMillis(50));
            var local = scenario.receive(0, 0, 1, "local", Duration.ofMillis(50));
            var cancelled = scenario.receive(1, 0, 1, "cancelled", Duration.ofMillis(50));
            scenario.send(1, 0, 1, "remote", 100, 1);
            scenario.send(0, 0, 1, "local", 100, 2);
            assertThat(cancelled.cancel()).isTrue();
            scenario.runFor(SECOND_NS);
            scenario.assertContent(remote, 100, 1);
            scenario.assertContent(local, 100, 2);
            assertThat(cancelled.code()).isEqualTo(StatusCode.CANCELLED);
            scenario.end();
        }
    }

    @Test
    void aDeadlineOfNothingPassesAtOnce() {
        try (var scenario = new Scenario(3, 2)) {
            scenario.exchange(1, 0, 1, "edge", 100, 1);
            for (Duration timeout : new Duration[] {Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE)}) {
                var receive = scenario.receive(1, 0, 1, "edge", timeout);
                scenario.runFor(CALLBACK_NS);
                assertThat(receive.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            }
            var patient = scenario.receive(1, 0, 1, "other", Duration.ofSeconds(Long.MAX_VALUE));
            scenario.send(1, 0, 1, "other", 100, 2);
            scenario.await(patient::hasEnded, "the patient one ends");
            scenario.assertContent(patient, 100, 2);
            scenario.end();
        }
    }

    /// Deadlines that cross with contents at every moment: each receive ends once, and no late write changes memory
    /// that was handed out again.
    @Test
    void deadlinesCrossWithContents() {
        int passed = 0;
        int received = 0;
        for (long seed = 0; seed < 200; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                scenario.exchange(1, 0, 1, "edge", 20_000, 1);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 20; i++) {
                    var timeout = Duration.ofNanos(scenario.fabric.random().nextLong(300_000));
                    receives.add(scenario.receive(1, 0, 1, "edge", timeout));
                    scenario.send(1, 0, 1, "edge", 20_000, 2 + i);
                }
                scenario.awaitAll();
                // The memory of those that are over is in other hands now.
                var reused = Scenario.bytes(scenario.worker(0), 20_000, 99);
                scenario.runFor(10 * MILLISECOND_NS);
                assertThat(reused.segment().mismatch(Scenario.bytesOnHeap(20_000, 99)))
                        .as("first byte that changed, seed %d", seed)
                        .isEqualTo(-1);
                reused.close();
                for (var receive : receives) {
                    if (receive.isFailure()) {
                        assertThat(receive.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
                        passed++;
                    } else {
                        received++;
                        receive.close();
                    }
                }
                scenario.end();
            }
        }
        assertThat(passed).as("receives whose deadline passed").isGreaterThan(100);
        assertThat(received).as("receives in time").isGreaterThan(100);
    }
}
