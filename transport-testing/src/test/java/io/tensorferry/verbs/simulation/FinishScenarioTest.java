package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Steps that are finished while channels are lost and workers die.
@Timeout(120)
class FinishScenarioTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final int SEEDS = SeededRuns.ofScenario(60);
    private static final int TENSORS = 10;

    private static int size(int index) {
        return index % 2 == 0 ? 40 : 6_000;
    }

    private static CompletableFuture<Void> finish(Scenario scenario, int worker, Duration timeout) {
        return scenario.worker(worker).manager.finishStep(1, timeout);
    }

    private static void assertClosed(Scenario scenario, int worker) {
        assertThat(scenario.worker(worker).manager.statistics().openSteps())
                .as("open steps, seed %d", scenario.seed)
                .isZero();
    }

    @Test
    void whatWasSentArrivesThoughChannelsAreLost() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                var random = new Random(seed);
                // In a step of its own, which stays open.
                scenario.exchange(1, 0, 2, "before", 10, 1);
                for (int i = 0; i < TENSORS; i++) {
                    scenario.send(1, 0, 1, "edge" + i, size(i), i);
                }
                CompletableFuture<Void> finished = finish(scenario, 1, LONG);
                List<Scenario.Receive> receives = new ArrayList<>();
                for (int i = 0; i < TENSORS; i++) {
                    assertThat(finished).isNotDone();
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    scenario.runFor(random.nextLong(300_000));
                    if (i == 5) {
                        scenario.cluster.cut(scenario.worker(0), scenario.worker(1), random.nextLong(SECOND_NS));
                    }
                }
                CompletableFuture<Void> own = finish(scenario, 0, LONG);
                scenario.awaitAll();
                for (int i = 0; i < TENSORS; i++) {
                    scenario.assertContent(receives.get(i), size(i), i);
                }
                scenario.await(() -> finished.isDone() && own.isDone(), "both steps end");
                assertThat(finished).isCompleted();
                assertThat(own).isCompleted();
                scenario.worker(0).manager.closeStep(2);
                scenario.worker(1).manager.closeStep(2);
                assertClosed(scenario, 0);
                assertClosed(scenario, 1);
                scenario.end();
            }
        }
    }

    @Test
    void aConsumerThatDiesIsNotWaitedForWithWhatItHadAskedFor() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                var random = new Random(seed);
                List<Scenario.Receive> receives = new ArrayList<>();
                for (int i = 0; i < TENSORS; i++) {
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                }
                scenario.runFor(100 * MILLISECOND_NS);
                for (int i = 0; i < TENSORS; i++) {
                    scenario.send(1, 0, 1, "edge" + i, size(i), i);
                }
                scenario.runFor(random.nextLong(100_000));
                CompletableFuture<Void> finished = finish(scenario, 1, LONG);
                scenario.cluster.kill(scenario.worker(0));

                scenario.await(finished::isDone, "the step ends");

                assertThat(finished).as("seed %d", seed).isCompleted();
                assertClosed(scenario, 1);
                receives.forEach(Scenario.Receive::close);
            }
        }
    }

    @Test
    void aConsumerThatDiesBeforeItAsksIsWaitedForUntilTheDeadline() {
        try (var scenario = new Scenario(1, 2)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            scenario.send(1, 0, 1, "unasked", 10, 1);
            scenario.cluster.kill(scenario.worker(0));
            long begunNs = scenario.fabric.now();
            CompletableFuture<Void> finished = finish(scenario, 1, Duration.ofSeconds(20));

            scenario.await(finished::isDone, "the step ends");

            assertThat(scenario.fabric.now() - begunNs).isBetween(20 * SECOND_NS, 21 * SECOND_NS);
            assertThat(finished.exceptionNow())
                    .isInstanceOfSatisfying(
                            TransportException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED))
                    .hasMessageContaining("such as " + Scenario.key(1, 0, "unasked"));
            assertClosed(scenario, 1);
            assertThat(scenario.worker(1).manager.stepStatistics().droppedSends())
                    .isEqualTo(1);
        }
    }

    @Test
    void aProducerThatDiesEndsTheReceivesThatAreWaitedFor() {
        try (var scenario = new Scenario(1, 2)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            Scenario.Receive receive = scenario.receive(1, 0, 1, "never");
            CompletableFuture<Void> finished = finish(scenario, 0, LONG);
            scenario.cluster.kill(scenario.worker(1));

            scenario.await(finished::isDone, "the step ends");

            assertThat(finished).isCompleted();
            scenario.awaitAll();
            assertThat(receive.result()).isInstanceOf(RecvResult.Failed.class);
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertClosed(scenario, 0);
        }
    }

    @Test
    void theEndOfTheWorkerEndsIt() {
        try (var scenario = new Scenario(1, 2)) {
            scenario.exchange(1, 0, 1, "before", 10, 1);
            scenario.send(1, 0, 1, "unasked", 10, 1);
            CompletableFuture<Void> finished = finish(scenario, 1, LONG);

            scenario.worker(1).manager.close();

            assertThat(finished.exceptionNow())
                    .isInstanceOfSatisfying(
                            TransportException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.ABORTED))
                    .hasMessageContaining("is stopping");
        }
    }
}
