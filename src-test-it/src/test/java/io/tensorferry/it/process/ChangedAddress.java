package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    /// Longer than a set-up takes.
    private static final Duration SETTLED = Duration.ofSeconds(2);
    /// Less than `reconnectTimeout`.
    private static final Duration AWAY = Duration.ofSeconds(1);

    @Test
    void addressesThatComeAndGoLoseNothing() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(BOTH.size())) {
            address("add", OTHER);
            Thread.sleep(SETTLED);
            // The channels go on under the other address.
            address("del", OWN);
            Thread.sleep(SETTLED);
            address("add", OWN);
            Thread.sleep(SETTLED);
            // And under their own again, which another entry of the table may have now.
            address("del", OTHER);
            Thread.sleep(SETTLED);
            address("del", OWN);
            Thread.sleep(AWAY);
            address("add", OWN);
            Thread.sleep(SETTLED);
            assertThat(cluster.unload(BOTH))
                    .allSatisfy(
                            book -> assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed=0 unanswered=0 "));
            cluster.stop(BOTH);
        }
    }

    private static void address(String verb, String address) throws IOException, InterruptedException {
        CutHosts.run(List.of("ip", "addr", verb, address, "dev", DEVICE));
    }
}
