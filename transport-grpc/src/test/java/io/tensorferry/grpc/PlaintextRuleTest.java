package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.security.PlaintextRule;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaintextRuleTest {
    private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aServerThatWouldListenBeyondThisMachineDoesNotStart(String protocol) {
        var cluster = new TestCluster(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        cluster.builder(0).protocol(protocol).bindAddress(ANY).start())
                .withMessageStartingWith("/job:worker/replica:0/task:0 would speak plaintext beyond this machine"
                        + " (listens on 0.0.0.0); give it certificates by security(...) or RDMA_TLS_CERTIFICATE,")
                .withMessageEndingWith("allow it by allowInsecure(true) or RDMA_ALLOW_INSECURE=true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1:7", "host-a:7", "[2001:db8::1]:7"})
    void aServerThatWouldDialBeyondThisMachineDoesNotStart(String peer) {
        var own = new TestCluster(1).spec.address("worker", 0);
        var cluster = ClusterSpec.of(Map.of("worker", List.of(own, peer)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransportServer.builder()
                        .cluster(cluster)
                        .job("worker")
                        .task(0)
                        .protocol(ServerConfig.GRPC)
                        .start())
                .withMessageContaining("(dials /job:worker/replica:0/task:1 at " + peer + ")");
    }

    @Test
    void whoeverAllowsItIsWarnedOnce() {
        var cluster = new TestCluster(1);
        try (var log = LogLines.of(TransportServerBuilder.class);
                var server =
                        cluster.builder(0).bindAddress(ANY).allowInsecure(true).start()) {
            assertThat(server.protocol()).isEqualTo(ServerConfig.GRPC);
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("/job:worker/replica:0/task:0 speaks plaintext beyond this machine (listens on 0.0.0.0)");
        }
    }

    @Test
    void onLoopbackNothingNeedsToBeAllowedAndNothingIsSaid() {
        try (var log = LogLines.of(TransportServerBuilder.class);
                var cluster = TestCluster.started(2)) {
            assertThat(cluster.server(0).statistics().openSteps()).isZero();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void withTlsItMayListenAnywhere(@TempDir Path folder) {
        var cluster = new TestCluster(1);
        var security = TestAuthority.create("authority").files(folder, TestAuthority.worker(0));
        try (var log = LogLines.of(TransportServerBuilder.class);
                var server =
                        cluster.builder(0).bindAddress(ANY).security(security).start()) {
            assertThat(server.protocol()).isEqualTo(ServerConfig.GRPC);
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void loopbackIsKnownWithoutLookingNamesUp() {
        for (String here :
                List.of("localhost:1", "LOCALHOST:1", "a.localhost:1", "127.0.0.1:1", "127.3.2.1:1", "[::1]:1")) {
            assertThat(WorkerAddress.parse(here, "test").staysHere()).as(here).isTrue();
        }
        for (String beyond : List.of("host:1", "10.0.0.1:1", "0.0.0.0:1", "[::]:1", "127.0.0.1.example.org:1")) {
            assertThat(WorkerAddress.parse(beyond, "test").staysHere())
                    .as(beyond)
                    .isFalse();
        }
        assertThat(WorkerAddress.parse("nobody.invalid:1", "test").staysHere())
                .as("no such name can exist")
                .isTrue();
    }

    @Test
    void theEnvironmentMayAllowIt() {
        assertThat(PlaintextRule.allowedBy(Map.of())).isFalse();
        assertThat(PlaintextRule.allowedBy(Map.of("RDMA_ALLOW_INSECURE", " "))).isFalse();
        assertThat(PlaintextRule.allowedBy(Map.of("RDMA_ALLOW_INSECURE", "false")))
                .isFalse();
        assertThat(PlaintextRule.allowedBy(Map.of("RDMA_ALLOW_INSECURE", "True ")))
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlaintextRule.allowedBy(Map.of("RDMA_ALLOW_INSECURE", "yes")))
                .withMessage("RDMA_ALLOW_INSECURE is 'yes'; accepted: true, false (the default)");
    }
}
