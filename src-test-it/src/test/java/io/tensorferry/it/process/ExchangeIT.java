package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Two to four processes exchange 10,000 tensors of every kind, and each arrives once and right.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 150, unit = TimeUnit.SECONDS)
class ExchangeIT {
    @ParameterizedTest
    @CsvSource({"grpc+verbs,2,11", "grpc+verbs,4,12", "grpc,3,13"})
    void everyTensorArrivesOnceAndRightAndItsMemoryComesBack(String protocol, int size, long seed) throws Exception {
        List<Integer> all = IntStream.range(0, size).boxed().toList();
        try (NodeCluster cluster = NodeCluster.started(protocol, size)) {
            exchangeAndCount(cluster, all, seed, 10_000);
            cluster.stop(all);
        }
    }

    /// Exchanges `tensors` tensors between all nodes of `cluster`, and checks that their memory is released.
    static void exchangeAndCount(NodeCluster cluster, List<Integer> all, long seed, int tensors)
            throws InterruptedException {
        // What the channels themselves take is there after a first exchange, and stays.
        exchange(cluster, new TrafficPlan(seed, 500, all, 1), all);
        List<String> before = cluster.ask(all, "memory 0", "MEMORY").stream().toList();

        exchange(cluster, new TrafficPlan(seed + 1000, tensors, all, 1_000), all);
        for (int node : all) {
            assertThat(cluster.ask(List.of(node), "memory " + before.get(node), "MEMORY"))
                    .as("bytes in use on node %d after the exchange", node)
                    .containsExactly(before.get(node));
        }
    }

    private static void exchange(NodeCluster cluster, TrafficPlan plan, List<Integer> nodes)
            throws InterruptedException {
        ExchangeReport.assertComplete(plan, cluster.ask(nodes, "exchange " + plan, "EXCHANGED"));
        // Every node has all it asked for, so nothing is left over in any step.
        List<String> closed = cluster.ask(nodes, "close", "CLOSED");
        assertThat(closed).allMatch(answer -> answer.startsWith("dropped=0 "));
        ExchangeReport.assertComplete(plan, closed);
    }
}
