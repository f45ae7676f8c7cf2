package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One of four workers is killed under full load and started again, `-Dfaults.kills` times, another one each time. The
/// others live, lose no callback and get no content twice or wrong; the new one gets and gives tensors again.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class KilledUnderLoadIT {
    private static final int KILLS = Integer.getInteger("faults.kills", 1);
    private static final List<Integer> ALL = List.of(0, 1, 2, 3);
    private static final String RIGHT = "lost=0 wrong=0 repeated=0 failed=";

    private final List<Duration> noticed = new ArrayList<>();
    private final List<Duration> recovered = new ArrayList<>();

    @Test
    void nobodyElseDiesAndNothingIsLostDoubledOrWrong() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(ALL.size())) {
            for (int kill = 0; kill < KILLS; kill++) {
                killAndRestart(cluster, kill % ALL.size());
            }
            assertThat(cluster.unload(ALL)).allSatisfy(book -> assertThat(book).startsWith(RIGHT));
            cluster.stop(ALL);
        }
        System.out.printf(
                "%d kills: noticed after %s, right answers from the new process %s after it listened%n",
                KILLS, described(noticed), described(recovered));
    }

    private void killAndRestart(NodeCluster cluster, int victim) throws InterruptedException {
        List<Integer> survivors = others(victim);
        cluster.node(victim).kill();
        long killedNs = System.nanoTime();
        for (int survivor : survivors) {
            awaitEach(cluster, survivor, "GONE ", List.of(victim));
        }
        noticed.add(Duration.ofNanos(System.nanoTime() - killedNs));
        cluster.start(victim);
        long listensNs = System.nanoTime();
        cluster.node(victim).send("load 1");
        for (int survivor : survivors) {
            awaitEach(cluster, survivor, "AGAIN ", List.of(victim));
            assertThat(cluster.node(survivor).isAlive()).isTrue();
        }
        recovered.add(Duration.ofNanos(System.nanoTime() - listensNs));
        awaitEach(cluster, victim, "AGAIN ", survivors);
    }

    private static void awaitEach(NodeCluster cluster, int node, String what, List<Integer> peers)
            throws InterruptedException {
        for (int peer : peers) {
            cluster.node(node).awaitLine(what + peer, NodeCluster.LIMIT);
        }
    }

    private static List<Integer> others(int node) {
        return ALL.stream().filter(other -> other != node).toList();
    }

    private static String described(List<Duration> durations) {
        var sorted = new ArrayList<>(durations);
        Collections.sort(sorted);
        return "%d ms (median), %d ms (maximum)"
                .formatted(
                        sorted.get(sorted.size() / 2).toMillis(),
                        sorted.getLast().toMillis());
    }
}
