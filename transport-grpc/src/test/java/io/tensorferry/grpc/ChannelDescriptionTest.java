package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChannelDescriptionTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private static TransportServerBuilder verbs(TestCluster cluster, int task, int lanes, int slots, int depth) {
        ChannelOptions d = ChannelOptions.defaults();
        return cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.builder()
                        .device("soft0")
                        .queueDepth(depth)
                        .mtu(task == 0 ? 1024 : 2048)
                        .build())
                .channelOptions(new ChannelOptions(
                        lanes,
                        slots,
                        d.slotBytes() * (2 - task),
                        d.keepaliveInterval(),
                        d.peerTimeout(),
                        d.connectTimeout(),
                        d.reconnectTimeout(),
                        d.spin()));
    }

    @Test
    void bothEndsOfAChannelTellTheSameAndTheSmallerOfEachLimit() throws Exception {
        try (var cluster = new TestCluster(2)) {
            TransportServer first = cluster.add(verbs(cluster, 0, 3, 64, 100).start());
            TransportServer second = cluster.add(verbs(cluster, 1, 2, 128, 200).start());
            assertThat(first.channels()).isEmpty();

            first.awaitPeers(SOON);

            ChannelDescription here = first.channels().getFirst();
            ChannelDescription there = second.channels().getFirst();
            assertThat(first.channels()).hasSize(1);
            assertThat(here.peer()).isEqualTo(second.workerName());
            assertThat(there.peer()).isEqualTo(first.workerName());
            assertThat(List.of(here.device(), there.device())).containsOnly("soft0");
            assertThat(List.of(here.port(), there.port())).containsOnly(1);
            assertThat(here.connectionId()).isEqualTo(there.connectionId()).isNotZero();
            assertThat(here.queuePairs()).isEqualTo(there.peerQueuePairs());
            assertThat(here.peerQueuePairs()).isEqualTo(there.queuePairs());
            assertThat(here.queuePairs())
                    .extracting(QueuePairAddress::gid)
                    .hasSize(3)
                    .doesNotContainNull();
            assertThat(here.sendDepth()).isEqualTo(100);
            assertThat(there.sendDepth()).isEqualTo(200);
            for (ChannelDescription either : List.of(here, there)) {
                assertThat(either.lanes()).isEqualTo(2);
                assertThat(either.ringSlots()).isEqualTo(64);
                assertThat(either.slotBytes()).isEqualTo(4096);
                assertThat(either.receiveDepth()).isEqualTo(100);
                assertThat(either.mtu()).isEqualTo(1024);
                assertThat(either.maxWriteBytes()).isEqualTo(1L << 30);
            }
        }
    }

    @Test
    void aChannelThatIsLostIsNotTold() throws Exception {
        try (var cluster = new TestCluster(2)) {
            TransportServer first = cluster.add(verbs(cluster, 0, 1, 64, 64).start());
            TransportServer second = cluster.add(verbs(cluster, 1, 1, 64, 64).start());
            second.awaitPeers(SOON);
            assertThat(first.channels()).hasSize(1);

            second.close();

            assertThat(second.channels()).isEmpty();
            // The software device reports the loss of a connection by itself; the test's own timeout bounds the wait.
            while (!first.channels().isEmpty()) {
                Thread.sleep(5);
            }
        }
    }

    @Test
    void overGrpcThereIsNone() throws Exception {
        try (var cluster = TestCluster.started(2)) {
            cluster.server(0).awaitPeers(SOON);
            assertThat(cluster.server(0).channels()).isEmpty();
        }
    }
}
