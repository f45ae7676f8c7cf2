package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The path of requests to a peer, as reported by its status.
@Timeout(60)
class WayToPeerTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long STEP = 3;

    private static TransportServer start(TestCluster cluster, int task, SoftCarrier carrier) {
        return cluster.add(cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.builder()
                        .device("soft0")
                        .softCarrier(carrier)
                        .build())
                .start());
    }

    private static void transfer(TransportServer from, TransportServer to) throws Exception {
        var key = TestCluster.key(from, to, "edge");
        from.rendezvous(STEP).send(key, from.allocator().allocate(DataType.UINT8, Shape.of(100_000)));
        try (Tensor received = to.rendezvous(STEP).recv(key, SOON).tensorOrThrow()) {
            assertThat(received.byteSize()).isEqualTo(100_000);
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTO, AUTO, shared memory", "SHARED, AUTO, shared memory", "AUTO, TCP, TCP", "TCP, TCP, TCP"})
    void whatWasTakenIsToldAtBothEnds(SoftCarrier one, SoftCarrier other, String way) throws Exception {
        try (var cluster = new TestCluster(2)) {
            TransportServer first = start(cluster, 0, one);
            TransportServer second = start(cluster, 1, other);

            transfer(first, second);

            for (TransportServer server : new TransportServer[] {first, second}) {
                assertThat(server.peers()).singleElement().satisfies(status -> {
                    assertThat(status.state()).isEqualTo(PeerStatus.State.OPEN);
                    assertThat(status.way()).isEqualTo(way);
                });
            }
        }
    }

    @Test
    void aPeerThatIsGoneIsReachedNoWay() throws Exception {
        try (var cluster = new TestCluster(2)) {
            TransportServer first = start(cluster, 0, SoftCarrier.AUTO);
            TransportServer second = start(cluster, 1, SoftCarrier.AUTO);
            transfer(first, second);

            second.close();

            // The software device reports the loss of a connection by itself; the test's own timeout bounds the wait.
            while (first.peers().getFirst().state() == PeerStatus.State.OPEN) {
                Thread.sleep(5);
            }
            assertThat(first.peers()).singleElement().satisfies(status -> {
                assertThat(status.channel()).isNull();
                assertThat(status.way()).isEmpty();
            });
        }
    }
}
