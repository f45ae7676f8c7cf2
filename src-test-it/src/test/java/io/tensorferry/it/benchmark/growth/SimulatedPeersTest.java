package io.tensorferry.it.benchmark.growth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SimulatedPeersTest {
    private static final int PEERS = 16;

    @Test
    void everyPeerHasAChannelAndEachReceiveTakesTheConsumerSomeTime() throws Exception {
        try (var peers = new SimulatedPeers(PEERS)) {
            peers.connect();
            assertThat(peers.consumer().adapter().channels()).hasSize(PEERS);
            for (int step = 0; step < 3; step++) {
                assertThat(peers.receive(20)).isPositive();
            }

            assertThat(peers.consumer().manager().statistics().tensorsReceived())
                    .isEqualTo(3L * 20 * PEERS);
            assertThat(peers.consumer().manager().statistics().pendingRequests())
                    .isZero();
        }
    }
}
