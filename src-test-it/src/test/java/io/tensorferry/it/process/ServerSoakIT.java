package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.soak.Holdings;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Of two processes, one has a server that stays; the other starts one, connects, exchanges tensors and closes it,
/// `-Dsoak.cycles` times. Nothing is left of those in either process.
@DeviceTests(kind = "soak", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 6, unit = TimeUnit.HOURS)
class ServerSoakIT {
    private static final int CYCLES = Integer.getInteger("soak.cycles", 10);
    /// Enough cycles to create everything that is created only once.
    private static final int FIRST_CYCLES = 5;
    /// The allowed growth by buffers that are kept for reuse: the same after 10 cycles as after 10,000.
    private static final long NATIVE_GROWTH_KIB = 16 << 10;

    private static final int STAYS = 0;
    private static final int COMES_AND_GOES = 1;
    private static final List<Integer> BOTH = List.of(STAYS, COMES_AND_GOES);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void nothingIsLeftOfServersThatCameAndWent() throws Exception {
        try (NodeCluster cluster = NodeCluster.started("grpc+verbs", BOTH.size())) {
            cluster.ask(List.of(COMES_AND_GOES), "down", "DOWN");
            cycles(cluster, 0, FIRST_CYCLES);
            awaitLoss(cluster);
            List<String> before = cluster.ask(BOTH, "rest", "HOLDINGS");
            List<String> nativeBefore = cluster.ask(BOTH, "native", "NATIVE");
            cycles(cluster, FIRST_CYCLES, CYCLES);
            awaitLoss(cluster);
            assertThat(Holdings.await(before, () -> now(cluster), LIMIT))
                    .as("after %d cycles", CYCLES)
                    .isEqualTo(before);
            List<String> nativeAfter = cluster.ask(BOTH, "native", "NATIVE");
            System.out.printf(
                    "%d cycles: native memory before %s KiB, after %s KiB%n", CYCLES, nativeBefore, nativeAfter);
            for (int node : BOTH) {
                assertThat(Long.parseLong(nativeAfter.get(node)) - Long.parseLong(nativeBefore.get(node)))
                        .as("KiB of native memory more in node %d after %d cycles", node, CYCLES)
                        .isLessThan(NATIVE_GROWTH_KIB);
            }
            cluster.stop(BOTH);
        }
    }

    private static void cycles(NodeCluster cluster, int from, int count) throws InterruptedException {
        for (int cycle = from; cycle < from + count; cycle++) {
            // The new server dials, by which the other one learns that the last one is gone.
            cluster.ask(List.of(COMES_AND_GOES), "up", "UP");
            var plan = new TrafficPlan(cycle, 10, BOTH, cycle);
            ExchangeReport.assertComplete(plan, cluster.ask(BOTH, "exchange " + plan, "EXCHANGED"));
            cluster.ask(BOTH, "close", "CLOSED");
            cluster.ask(List.of(COMES_AND_GOES), "down", "DOWN");
        }
    }

    /// The one that stays finds its last channel lost.
    private static void awaitLoss(NodeCluster cluster) throws InterruptedException {
        List<String> none = List.of("");
        assertThat(Holdings.await(none, () -> ask(cluster, List.of(STAYS), "channels", "CHANNELS"), LIMIT))
                .as("channels to a server that is closed")
                .isEqualTo(none);
    }

    private static List<String> now(NodeCluster cluster) {
        return ask(cluster, BOTH, "holdings", "HOLDINGS");
    }

    private static List<String> ask(NodeCluster cluster, List<Integer> nodes, String command, String answer) {
        try {
            return cluster.ask(nodes, command, answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
