package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two workers under full load, and the addresses of the network device `address.device` come and go, and with them
/// entries of the GID table of the RDMA device above it. The workers reach each other for the set-up by another one.
///
/// It is run in the guest, and so has no name by which it would be run elsewhere.
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class ChangedAddress {
    private static final List<Integer> BOTH = List.of(0, 1);
    private static final String DEVICE = System.getProperty("address.device", "eth1");
    private static final String OWN = System.getProperty("address.own", "10.99.0.1/24");
    private static final String OTHER = "10.99.1.7/32";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(20);

    @Test
    void addressesThatComeAndGoLoseNothing() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(BOTH.size())) {
            address("add", OTHER);
            cluster.awaitRound(BOTH);
            // The channels go on under the other address.
            address("del", OWN);
            awaitGids(cluster, gids -> gids.equals(both(OTHER)));
            cluster.awaitRound(BOTH);
            address("add", OWN);
            cluster.awaitRound(BOTH);
            // And under their own again, which another entry of the table may have now.
            address("del", OTHER);
            awaitGids(cluster, gids -> gids.equals(both(OWN)));
            cluster.awaitRound(BOTH);
            // The last IPv4 address is away until no channel uses it.
            address("del", OWN);
            awaitGids(cluster, gids -> gids.stream().noneMatch(both(OWN)::contains));
            address("add", OWN);
            cluster.awaitRound(BOTH);
            assertThat(cluster.unload(BOTH))
                    .allSatisfy(
                            book -> assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed=0 unanswered=0 "));
            cluster.stop(BOTH);
        }
    }

    /// Waits until the GIDs of the two nodes' channels are as they should be.
    private static void awaitGids(NodeCluster cluster, Predicate<List<String>> asTheyShouldBe)
            throws InterruptedException {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        List<String> gids = cluster.ask(BOTH, "gids", "GIDS");
        while (!asTheyShouldBe.test(gids)) {
            assertThat(System.nanoTime()).as("%s after %s", gids, LIMIT).isLessThan(deadlineNs);
            Thread.sleep(LOOK);
            gids = cluster.ask(BOTH, "gids", "GIDS");
        }
    }

    private static List<String> both(String address) {
        String gid = "::ffff:" + address.substring(0, address.indexOf('/'));
        return List.of(gid, gid);
    }

    private static void address(String verb, String address) throws IOException, InterruptedException {
        CutHosts.run(List.of("ip", "addr", verb, address, "dev", DEVICE));
    }
}
