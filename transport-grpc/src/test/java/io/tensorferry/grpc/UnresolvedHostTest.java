package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.peer.PeerChannel;
import io.tensorferry.grpc.peer.PeerLookup;
import io.tensorferry.grpc.peer.PeerTimeouts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A peer whose host has no address: the error reports it, and standard error stays empty.
@Timeout(60)
class UnresolvedHostTest {
    private static final String UNKNOWN = "not-there-yet.invalid";
    private static final String PEER = "/job:worker/replica:0/task:5";

    private static TransportServer server(String protocol, Duration connectTimeout) {
        String own = FreePorts.addresses(1).getFirst();
        return TransportServer.builder()
                .cluster(ClusterSpec.ofTasks(Map.of("ps", Map.of(0, own), "worker", Map.of(5, UNKNOWN + ":7513"))))
                .job("ps")
                .task(0)
                .protocol(protocol)
                .connectTimeout(connectTimeout)
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aReceiveSaysThatTheHostCannotBeResolvedAndGrpcPrintsNothing(String protocol) throws Exception {
        try (var grpc = new GrpcLines();
                TransportServer server = server(protocol, Duration.ofSeconds(1))) {
            var key = RendezvousKey.of(new DeviceName("worker", 0, 5, "CPU", 0), server.deviceName(0), "x");
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.rendezvous(1)
                            .recv(key, Duration.ofSeconds(20))
                            .tensorOrThrow())
                    .withMessageContaining("host '" + UNKNOWN + "' cannot be resolved")
                    .withMessageContaining("no connection to " + UNKNOWN + ":7513 within PT1S")
                    .satisfies(e -> {
                        assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
                        assertThat(e.peer()).isEqualTo(PEER);
                    });
            assertThat(grpc.lines()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void whoAwaitsPeersIsToldWhichHostCannotBeResolved(String protocol) {
        try (TransportServer server = server(protocol, Duration.ofSeconds(30))) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.awaitPeers(Duration.ofSeconds(1)))
                    .withMessageContaining(PEER + ": host '" + UNKNOWN + "' cannot be resolved");
        }
    }

    @Test
    void aHostThatIsKnownLaterIsReached() throws Exception {
        try (var cluster = new TestCluster(1);
                var timer = Executors.newSingleThreadScheduledExecutor()) {
            cluster.add(cluster.builder(0).protocol(ServerConfig.GRPC).start());
            int port = WorkerAddress.parse(cluster.spec.address("worker", 0), "worker")
                    .port();
            var address = new WorkerAddress("later.invalid", port);
            var known = new AtomicBoolean();
            PeerLookup.Hosts hosts = host -> {
                if (known.get()) {
                    return new InetAddress[] {InetAddress.getLoopbackAddress()};
                }
                throw new UnknownHostException(host + ": Name or service not known");
            };
            var lookup = new PeerLookup(address, hosts, timer);
            var channel = dial(address, lookup);
            try {
                var timeouts = new PeerTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(5));
                var peer = new PeerChannel("/job:worker/replica:0/task:0", address, lookup, channel, timer, timeouts);
                var ready = peer.whenReady();
                while (lookup.failure() == null) {
                    Thread.sleep(5);
                }
                assertThat(peer.obstacle())
                        .isEqualTo("host 'later.invalid' cannot be resolved: Name or service not known");
                assertThat(ready).isNotDone();
                known.set(true);
                ready.get(20, TimeUnit.SECONDS);
                assertThat(peer.obstacle()).isNull();
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @SuppressWarnings("deprecation")
    private static io.grpc.ManagedChannel dial(WorkerAddress address, PeerLookup lookup) {
        return NettyChannelBuilder.forAddress(address.host(), address.port())
                .nameResolverFactory(lookup)
                .usePlaintext()
                .build();
    }
}
