package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tries hard to have a write land in memory that was handed out again: writes that are late by up to 20 ms, receives
/// that are given up in storms, steps that are closed, links that are cut, senders that stand still or start anew,
/// and memory so short that what comes back is in other hands at once.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LateWriteTest {
    private static final int SEEDS = SeededRuns.ofScenario(150);
    private static final int ROUNDS = 40;
    private static final int EDGES = 4;
    private static final int BYTES = 30_000;
    private static final long LIMIT = 1 << 20;
    private static final byte GUARD = (byte) 0xAA;
    private static final int RECEIVER = 0;
    private static final int SENDER = 1;

    @Test
    void memoryThatWasHandedOutAgainIsNotWritten() {
        long handedOut = 0;
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            var network = SimulatedFabricOptions.defaults().withSpikes(0.3, 20 * MILLISECOND_NS);
            var options = SimulatedCluster.Options.defaults().withLimit(LIMIT);
            try (var scenario = new Scenario(seed, 2, 0, options, network)) {
                var storm = new Storm(scenario);
                storm.run();
                handedOut += storm.handedOut;
                lost += scenario.worker(RECEIVER).adapter.counters().failed();
                scenario.end();
            }
        }
        assertThat(handedOut)
                .as("pieces of memory that were handed out after a receive was given up")
                .isGreaterThan(20L * SEEDS);
        assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS);
    }

    private static final class Storm {
        private final Scenario scenario;
        private final Random random;
        private final List<Scenario.Receive> receives = new ArrayList<>();
        private final Queue<Tensor> guards = new ArrayDeque<>();
        private long step;
        private long handedOut;

        Storm(Scenario scenario) {
            this.scenario = scenario;
            this.random = new Random(scenario.seed);
        }

        void run() {
            // So that the requests name their memory from the start.
            for (int edge = 0; edge < EDGES; edge++) {
                scenario.exchange(SENDER, RECEIVER, step, "edge" + edge, BYTES, 1);
            }
            for (int round = 0; round < ROUNDS; round++) {
                dropUnclaimed();
                var begun = new ArrayList<Scenario.Receive>();
                for (int i = random.nextInt(1, EDGES); i >= 0; i--) {
                    scenario.send(SENDER, RECEIVER, step, "edge" + i, BYTES, 0x55);
                    begun.add(scenario.receive(SENDER, RECEIVER, step, "edge" + i));
                }
                receives.addAll(begun);
                scenario.runFor(random.nextLong(MILLISECOND_NS));
                begun.stream().filter(_ -> random.nextInt(4) != 0).forEach(Scenario.Receive::cancel);
                fault();
                takeAll();
                scenario.runFor(random.nextLong(2 * MILLISECOND_NS));
                giveBack(random.nextInt(8));
            }
            scenario.runFor(100 * MILLISECOND_NS);
            giveBack(guards.size());
            scenario.closeSteps();
            scenario.awaitAll();
            receives.forEach(Scenario.Receive::close);
        }

        /// What nobody asks for any more must not use up the sender's memory.
        private void dropUnclaimed() {
            while (scenario.worker(SENDER).adapter.memory().statistics().bytesInUse() > LIMIT / 2) {
                scenario.closeSteps();
                scenario.runFor(MILLISECOND_NS);
                step++;
            }
        }

        private void fault() {
            switch (random.nextInt(12)) {
                case 0 -> {
                    scenario.worker(RECEIVER).manager.closeStep(step);
                    step++;
                }
                case 1 -> {
                    scenario.worker(SENDER).manager.closeStep(step);
                    step++;
                }
                case 2 ->
                    scenario.fabric.partition(
                            SimulatedCluster.name(SENDER),
                            SimulatedCluster.name(RECEIVER),
                            random.nextLong(1_200 * MILLISECOND_NS));
                // Long enough for the device to lose the channel.
                case 3 -> {
                    scenario.fabric.partition(
                            SimulatedCluster.name(SENDER), SimulatedCluster.name(RECEIVER), 1_200 * MILLISECOND_NS);
                    scenario.runFor(random.nextLong(1_500 * MILLISECOND_NS));
                }
                case 4 -> scenario.worker(SENDER).pause(random.nextLong(5 * MILLISECOND_NS));
                case 5 -> scenario.cluster.restart(scenario.worker(SENDER));
                default -> {}
            }
        }

        private void takeAll() {
            while (true) {
                // What the transport itself needs is left to it.
                if (scenario.worker(RECEIVER).adapter.memory().statistics().bytesInUse() + 3L * BYTES > LIMIT) {
                    return;
                }
                try {
                    guards.add(Scenario.bytes(scenario.worker(RECEIVER), BYTES, GUARD));
                } catch (TransportException e) {
                    // In pieces that are too small, between the rings of a channel that ends and of the next.
                    assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                    return;
                }
                handedOut++;
            }
        }

        private void giveBack(int count) {
            for (int i = 0; i < count && !guards.isEmpty(); i++) {
                try (Tensor guard = guards.remove()) {
                    for (long at = 0; at < BYTES; at++) {
                        if (guard.segment().get(ValueLayout.JAVA_BYTE, at) != GUARD) {
                            throw new AssertionError(
                                    "a late write hit byte " + at + " of memory in use, seed " + scenario.seed);
                        }
                    }
                }
            }
        }
    }
}
