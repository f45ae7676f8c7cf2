package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Processes on two hosts exchange tensors, over the path that the system properties `between.mtu` (bytes) and
/// `between.lossy` describe. The properties of [Place] say what the hosts are.
///
/// It is run in the guest, and so has no name by which it would be run elsewhere.
@Timeout(value = 150, unit = TimeUnit.SECONDS)
final class BetweenHosts {
    private static final int MTU = Integer.getInteger("between.mtu", 4096);
    private static final boolean LOSSY = Boolean.getBoolean("between.lossy");
    private static final int HEADERS = 100;
    /// With it, two of the large tensors go from the first host to the second, and two back.
    private static final long SEED = 60;

    private static final int TENSORS = 1_000;
    private static final long LARGE_BYTES = 2L * (64 << 20);

    /// The nodes take the two hosts in turn: of four, each has two peers elsewhere and one beside it.
    @ParameterizedTest(name = "{0} processes")
    @ValueSource(ints = {2, 4})
    void everyTensorArrivesOnceAndRight(int size) throws Exception {
        List<Integer> all = IntStream.range(0, size).boxed().toList();
        List<Place> hosts = List.of(Place.of(0), Place.of(1));
        try (NodeCluster cluster = NodeCluster.started("grpc+verbs", size)) {
            List<PathCounters> before = hosts.stream().map(PathCounters::of).toList();
            var plan = new TrafficPlan(SEED, TENSORS, all, 1);
            ExchangeReport.assertComplete(plan, cluster.ask(all, "exchange " + plan, "EXCHANGED"));
            for (int node : all) {
                String agreed = "device=" + Place.of(node).device() + " mtu=" + MTU;
                assertThat(cluster.ask(List.of(node), "channels", "CHANNELS"))
                        .as("what node %d agreed on", node)
                        .containsExactly(String.join(",", Collections.nCopies(size - 1, agreed)));
            }
            for (int host = 0; host < hosts.size(); host++) {
                assertTravelled(PathCounters.of(hosts.get(host)).minus(before.get(host)));
            }
            cluster.stop(all);
        }
    }

    private static void assertTravelled(PathCounters traffic) {
        System.out.println(traffic);
        assertThat(traffic.sentBytes()).as("%s", traffic).isGreaterThan(LARGE_BYTES);
        // Most packets belong to large tensors; acknowledgements and small messages make the mean a little smaller.
        assertThat(traffic.meanPacketBytes()).as("%s", traffic).isBetween(MTU * 0.75, (double) MTU + HEADERS);
        if (LOSSY) {
            assertThat(traffic.lost()).as("%s", traffic).isPositive();
            assertThat(traffic.repeated()).as("%s", traffic).isPositive();
        } else {
            assertThat(traffic.lost()).as("%s", traffic).isZero();
        }
    }
}
