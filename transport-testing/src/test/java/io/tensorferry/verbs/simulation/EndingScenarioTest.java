package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives that end before their tensor comes: cancelled, aborted, closed; and what becomes of the memory that the
/// sender was told.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndingScenarioTest {
    private static final long LIMIT = 1 << 20;

    @Test
    void cancelAndAbortEndReceivesThatAreInFlight() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 20; i++) {
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    if (random.nextBoolean()) {
                        scenario.send(1, 0, 1, "edge" + i, 20_000, i);
                    }
                }
                scenario.runFor(random.nextLong(3 * MILLISECOND_NS));
                boolean ended = receives.getFirst().hasEnded();
                boolean cancelled = receives.getFirst().cancel();
                assertThat(cancelled && ended).as("cancelled after its end").isFalse();
                assertThat(receives.getFirst().cancel()).as("a second time").isFalse();
                scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.DATA_LOSS, "the user's reason");
                long abortedAt = scenario.fabric.now();
                scenario.awaitAll();
                assertThat(scenario.fabric.now() - abortedAt).as("at once").isLessThan(MILLISECOND_NS);
                if (cancelled) {
                    assertThat(receives.getFirst().code()).isEqualTo(StatusCode.CANCELLED);
                }
                for (var receive : receives) {
                    if (receive.result() instanceof RecvResult.Failed) {
                        assertThat(receive.code()).isIn(StatusCode.CANCELLED, StatusCode.DATA_LOSS);
                    }
                    receive.close();
                }
                scenario.end();
            }
        }
    }

    @Test
    void aLateWriteNeverLandsInMemoryThatWasHandedOutAgain() {
        long handedOut = 0;
        for (long seed = 0; seed < 200; seed++) {
            // A third of all messages are late by up to 5 ms, and memory is so short that what comes back is used at
            // once.
            var network = SimulatedFabricOptions.defaults().withSpikes(0.3, 5 * MILLISECOND_NS);
            var options = SimulatedCluster.Options.defaults().withLimit(LIMIT);
            try (var scenario = new Scenario(seed, 2, 0, options.variedBy(seed), network)) {
                handedOut += cancelAndReuse(scenario);
                scenario.end();
            }
        }
        assertThat(handedOut)
                .as("pieces of memory that were handed out after a cancellation")
                .isGreaterThan(5_000);
    }

    /// Each round cancels a receive whose memory the sender knows and is writing to, and then takes as much memory
    /// as there is.
    private static long cancelAndReuse(Scenario scenario) {
        var random = new Random(scenario.seed);
        int size = 30_000;
        // So that the requests name their memory from the start.
        for (int edge = 0; edge < 4; edge++) {
            scenario.exchange(1, 0, 1, "edge" + edge, size, 1);
        }
        Queue<Tensor> guards = new ArrayDeque<>();
        long taken = 0;
        var receives = new ArrayList<Scenario.Receive>();
        for (int round = 0; round < 30; round++) {
            String edge = "edge" + round % 4;
            scenario.send(1, 0, 1, edge, size, 0x55);
            var receive = scenario.receive(1, 0, 1, edge);
            receives.add(receive);
            scenario.runFor(random.nextLong(MILLISECOND_NS / 2));
            if (random.nextInt(8) == 0) {
                scenario.worker(0).manager.closeStep(1);
            } else {
                receive.cancel();
            }
            while (guards.size() < 30) {
                Tensor guard = tryAllocate(scenario.worker(0), size);
                if (guard == null) {
                    break;
                }
                guard.segment().fill((byte) 0xAA);
                guards.add(guard);
                taken++;
            }
            scenario.runFor(random.nextLong(MILLISECOND_NS));
            for (int i = random.nextInt(4); i > 0 && !guards.isEmpty(); i--) {
                check(guards.remove(), scenario.seed);
            }
        }
        scenario.runFor(50 * MILLISECOND_NS);
        guards.forEach(guard -> check(guard, scenario.seed));
        receives.forEach(Scenario.Receive::close);
        return taken;
    }

    private static Tensor tryAllocate(SimulatedCluster.Worker worker, int size) {
        var memory = worker.adapter.memory().statistics();
        // What the transport itself needs is left to it.
        return memory.bytesInUse() + 3L * size > LIMIT ? null : Scenario.bytes(worker, size, 0);
    }

    private static void check(Tensor guard, long seed) {
        for (long i = 0; i < guard.byteSize(); i++) {
            if (guard.segment().get(ValueLayout.JAVA_BYTE, i) != (byte) 0xAA) {
                throw new AssertionError("a late write hit byte " + i + " of memory in use, seed " + seed);
            }
        }
        guard.close();
    }

    @Test
    void closingAStepOnEitherSideEndsWhatIsInFlight() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 20; i++) {
                    scenario.send(1, 0, 1, "edge" + i, 50_000, i);
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    receives.add(scenario.receive(1, 0, 1, "never" + i));
                }
                scenario.runFor(random.nextLong(5 * MILLISECOND_NS));
                int closer = random.nextInt(2);
                scenario.worker(closer).manager.closeStep(1);
                scenario.awaitAll();
                for (var receive : receives) {
                    if (receive.result() instanceof RecvResult.Failed) {
                        assertThat(receive.code()).isEqualTo(StatusCode.ABORTED);
                    }
                    receive.close();
                }
                scenario.end();
            }
        }
    }

    @Test
    void aRequestForAStepThatTheProducerHasClosedIsAborted() {
        try (var scenario = new Scenario(1, 2)) {
            scenario.exchange(1, 0, 1, "edge", 10, 1);
            scenario.worker(1).manager.closeStep(1);
            var late = scenario.receive(1, 0, 1, "edge");
            scenario.await(late::hasEnded, "the late receive ends");
            assertThat(late.code()).isEqualTo(StatusCode.ABORTED);
            assertThat(late.failure()).hasMessageContaining("step 1 is closed");
            assertThat(scenario.worker(1).manager.statistics().openSteps()).isZero();
            scenario.exchange(1, 0, 2, "edge", 10, 2);
            scenario.end();
        }
    }

    @Test
    void aLongReasonIsCutAndNotLost() {
        try (var scenario = new Scenario(1, 2)) {
            String reason = "because " + "ä".repeat(10_000);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(20 * MILLISECOND_NS);
            scenario.worker(1).manager.rendezvous(1).startAbort(StatusCode.FAILED_PRECONDITION, reason);
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
            assertThat(receive.failure().getMessage())
                    .contains("because " + "ä".repeat(1_000))
                    .doesNotContain("\uFFFD");
            scenario.exchange(1, 0, 2, "edge", 10, 2);
            scenario.end();
        }
    }

    @Test
    void aTensorWhoseMemoryIsGoneFailsTheReceive() {
        for (boolean sentFirst : List.of(true, false)) {
            try (var scenario = new Scenario(1, 2)) {
                var receive = new Scenario.Receive[1];
                if (!sentFirst) {
                    receive[0] = scenario.receive(1, 0, 1, "edge");
                    scenario.runFor(20 * MILLISECOND_NS);
                }
                // Against the rules: it is to live until the tensor's last handle is closed.
                try (Arena tooShort = Arena.ofShared()) {
                    MemorySegment memory = tooShort.allocate(16, 4);
                    scenario.send(1, 0, 1, "edge", Tensor.wrap(DataType.FLOAT, Shape.of(4), memory, () -> {}));
                }
                if (sentFirst) {
                    receive[0] = scenario.receive(1, 0, 1, "edge");
                }
                scenario.await(receive[0]::hasEnded, "the receive fails");
                assertThat(receive[0].code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(receive[0].failure()).hasMessageContaining("Already closed");
                scenario.exchange(1, 0, 1, "edge", 10, 2);
                scenario.end();
            }
        }
    }
}
