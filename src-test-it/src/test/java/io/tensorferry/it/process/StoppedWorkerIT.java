package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A worker is stopped under full load, as a debugger or a job control does it: its sockets stay open and its device
/// answers for it.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class StoppedWorkerIT {
    private static final List<Integer> ALL = List.of(0, 1, 2);
    private static final List<Integer> OTHERS = List.of(0, 1);
    private static final int VICTIM = 2;
    /// A short stop ends when the worker has given no answer for this time, which is less than `peerTimeout`.
    private static final Duration STANDSTILL = Duration.ofSeconds(2);
    /// `peerTimeout`, then `reconnectTimeout`, and what a busy machine takes.
    private static final Duration LIMIT = Duration.ofSeconds(10 + 3 + 3);

    @Test
    void aShortStopLosesNothing() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(ALL.size())) {
            signal(cluster, "STOP");
            cluster.awaitStandstill(Map.of(0, VICTIM, 1, VICTIM), STANDSTILL);
            signal(cluster, "CONT");
            // A lost request would stop the load; the book counts a lost question or answer as unanswered.
            cluster.awaitRound(ALL);
            for (String book : cluster.unload(ALL)) {
                assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed=0 unanswered=0 ");
            }
            cluster.stop(ALL);
        }
    }

    @Test
    void aStoppedWorkerIsDeclaredDeadWithinTheBoundAndComesBack() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(ALL.size())) {
            long stoppedNs = System.nanoTime();
            signal(cluster, "STOP");
            for (int other : OTHERS) {
                cluster.node(other).awaitLine("GONE " + VICTIM, LIMIT);
            }
            var noticed = Duration.ofNanos(System.nanoTime() - stoppedNs);
            assertThat(noticed).isBetween(Duration.ofSeconds(9), LIMIT);
            System.out.printf("a stopped worker was given up after %d ms%n", noticed.toMillis());
            signal(cluster, "CONT");
            for (int other : OTHERS) {
                cluster.node(other).awaitLine("AGAIN " + VICTIM, NodeCluster.LIMIT);
            }
            for (String book : cluster.unload(ALL)) {
                assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed=");
            }
            cluster.stop(ALL);
        }
    }

    private static void signal(NodeCluster cluster, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill", "-" + name, Long.toString(cluster.node(VICTIM).pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).as("kill -%s", name).isZero();
    }
}
