package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Writes of a hostile peer through the whole stack, `-Dhostile.writes` of them, drawn from one seed. A worker accepts
/// the harmless ones; a wrong one ends its channel and is counted; a healthy peer notices nothing.
@Timeout(value = 50, unit = TimeUnit.MINUTES) // for ten million writes
class HostileWritesTest {
    private static final long SEED = Long.getLong("hostile.seed", 0x0BAD_5EED);
    private static final long WRITES = Long.getLong("hostile.writes", 100_000);
    private static final int BAD_ONE_IN = 250;
    private static final int MOST_RECEIVES = 4;

    private int receives;

    @Test
    void aHostilePeerEndsItsOwnChannelsAndNothingElse() {
        try (var stage = new HostileStage(SEED)) {
            run(stage);
            assertThat(stage.attacker.written()).isGreaterThanOrEqualTo(WRITES);
            stage.assertHealthy();
            stage.end();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + SEED, e);
        }
    }

    private void run(HostileStage stage) {
        var writer = new HostileWriter(stage);
        Map<HostileWriter.Outcome, Integer> outcomes = new EnumMap<>(HostileWriter.Outcome.class);
        long slabBytes = 0;
        while (stage.attacker.written() < WRITES) {
            connect(stage, writer);
            outcomes.merge(writeUntilBad(stage, writer), 1, Integer::sum);
            // What is in use early is in use late.
            if (slabBytes == 0 && stage.attacker.written() > WRITES / 10) {
                slabBytes = stage.victim.adapter.memory().statistics().slabBytes();
            }
        }
        var memory = stage.victim.adapter.memory().statistics();
        assertThat(memory.slabBytes()).as("registered memory does not grow").isEqualTo(slabBytes);
        assertThat(outcomes.keySet()).as("every kind was drawn").contains(HostileWriter.Outcome.values());
        assertThat(stage.statistics().openSteps()).isLessThanOrEqualTo(2);
    }

    private static void connect(HostileStage stage, HostileWriter writer) {
        writer.reset();
        stage.attacker.offer(stage.victim.adapter.acceptor());
        stage.await(() -> stage.attacker.isConnected() || stage.attacker.hasFailed(), "an answer");
        while (!stage.attacker.isConnected()) {
            // The victim may have been dialling: then it yields, and tries in vain, and is offered a channel again.
            stage.settle();
            stage.attacker.offer(stage.victim.adapter.acceptor());
            stage.await(() -> stage.attacker.isConnected() || stage.attacker.hasFailed(), "an answer");
        }
    }

    /// Bearable writes, then a bad one; after each phase the counters must say what was expected.
    private HostileWriter.Outcome writeUntilBad(HostileStage stage, HostileWriter writer) {
        var counters = stage.counters();
        long failed = counters.failed();
        long malformed = counters.malformedMessages();
        long violations = counters.protocolViolations();
        int bearable = stage.random.nextInt(2 * BAD_ONE_IN);
        for (int i = 0; i < bearable; i++) {
            awaitCredit(stage, failed);
            receive(stage);
            writer.bearable();
        }
        settle(stage);
        assertThat(counters.failed())
                .as("channels that failed for what is to be borne")
                .isEqualTo(failed);
        awaitCredit(stage, failed);
        HostileWriter.Outcome outcome = writer.bad();
        settle(stage);
        long failures = counters.failed() - failed;
        long newMalformed = counters.malformedMessages() - malformed;
        long newViolations = counters.protocolViolations() - violations;
        switch (outcome) {
            case MALFORMED ->
                assertThat(new long[] {failures, newMalformed, newViolations}).containsExactly(1, 1, 0);
            case MALFORMED_LATER -> {
                assertThat(failures).isEqualTo(1);
                assertThat(newMalformed + newViolations).isEqualTo(1);
            }
            case VIOLATION ->
                assertThat(new long[] {failures, newMalformed, newViolations}).containsExactly(1, 0, 1);
            case DEVICE ->
                assertThat(new long[] {failures, newMalformed, newViolations}).containsExactly(1, 0, 0);
            case UNKNOWN -> {
                assertThat(newMalformed).isZero();
                assertThat(failures).isEqualTo(newViolations).isLessThanOrEqualTo(1);
            }
        }
        return outcome;
    }

    private static void awaitCredit(HostileStage stage, long failed) {
        stage.await(
                () -> (stage.attacker.mayWrite(Attacker.CONTROL) && stage.attacker.mayWrite(Attacker.LANE))
                        || stage.counters().failed() > failed,
                "a credit");
        assertThat(stage.counters().failed())
                .as("channels that failed for what is to be borne")
                .isEqualTo(failed);
    }

    /// Longer than any write is under way.
    private static void settle(HostileStage stage) {
        long end = stage.scenario.fabric.now() + 200_000;
        stage.await(() -> stage.scenario.fabric.now() >= end, "time goes on");
    }

    /// The victim asks the attacker for something, now and then.
    private void receive(HostileStage stage) {
        if (receives < MOST_RECEIVES && stage.random.nextInt(20) == 0) {
            receives++;
            String edge = "asked" + stage.random.nextInt(16);
            stage.victim.manager.rendezvous(STEP).recvAsync(Scenario.key(ATTACKER, VICTIM, edge), result -> {
                receives--;
                if (result instanceof RecvResult.Received(Tensor tensor)) {
                    tensor.close();
                }
            });
        }
    }
}
