package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A worker that dials a peer and reaches another server: receives fail at once with a status that states the reason,
/// and no data is sent to that server.
@Timeout(60)
class DialledPeerTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long SOON_NS = Duration.ofSeconds(15).toNanos();

    private final TestAuthority authority = TestAuthority.create("authority");
    private final TestCluster cluster = new TestCluster(2);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        cluster.close();
    }

    private TransportServer dialler(String protocol) {
        return cluster.add(cluster.builder(0)
                .protocol(protocol)
                .connectTimeout(LONG)
                .security(authority.files(folder.resolve("own"), TestAuthority.worker(0)))
                .start());
    }

    private void assertFails(TransportServer dialler, StatusCode code, String... words) {
        long start = System.nanoTime();
        var failure = assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> dialler.awaitPeers(LONG.multipliedBy(2)));
        for (String word : words) {
            failure.withMessageContaining(word);
        }
        failure.satisfies(e -> assertThat(e.code()).isEqualTo(code));
        assertThat(System.nanoTime() - start)
                .as("without a wait for the impossible")
                .isLessThan(SOON_NS);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void anotherWorkerOfTheSameAuthorityIsNotTakenForThePeer(String protocol) {
        TransportServer dialler = dialler(protocol);
        // Worker 2 of a larger cluster listens where worker 1 should.
        String own = cluster.spec.address("worker", 0);
        String other = cluster.spec.address("worker", 1);
        var larger = ClusterSpec.of(Map.of("worker", List.of(own, "nobody.invalid:1", other)));
        cluster.add(TransportServer.builder()
                .cluster(larger)
                .job("worker")
                .task(2)
                .protocol(protocol)
                .security(authority.files(folder.resolve("other"), TestAuthority.worker(2)))
                .start());

        assertFails(
                dialler,
                StatusCode.PERMISSION_DENIED,
                "another worker answers at " + other,
                "tensorferry:/job:worker/replica:0/task:2), not of /job:worker/replica:0/task:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aPeerOfAnotherAuthorityIsNotTrusted(String protocol) {
        TransportServer dialler = dialler(protocol);
        cluster.add(cluster.builder(1)
                .protocol(protocol)
                .security(TestAuthority.create("other").files(folder.resolve("other"), TestAuthority.worker(1)))
                .start());

        assertFails(
                dialler,
                StatusCode.UNAUTHENTICATED,
                "the certificate of the worker at " + cluster.spec.address("worker", 1) + " is refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aPeerThatTrustsAnotherAuthorityAloneIsNamed(String protocol) {
        // It shows a certificate that this worker trusts, as during a change of authorities.
        var other = TestAuthority.create("other");
        Path files = folder.resolve("dialler");
        TransportServer dialler = cluster.add(cluster.builder(0)
                .protocol(protocol)
                .connectTimeout(LONG)
                .security(TestAuthority.write(
                        files, authority.issue(TestAuthority.worker(0)), authority.rootPem() + other.rootPem()))
                .start());
        cluster.add(cluster.builder(1)
                .protocol(protocol)
                .security(other.files(folder.resolve("other"), TestAuthority.worker(1)))
                .start());

        assertFails(
                dialler,
                StatusCode.UNAUTHENTICATED,
                "the worker at " + cluster.spec.address("worker", 1)
                        + " refuses this worker's certificate (TLS alert ");
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aPeerInPlaintextIsNotSpokenToAndCountsTheConnectionWithoutAStackTrace(String protocol) {
        try (var grpc = new GrpcLines()) {
            TransportServer dialler = dialler(protocol);
            TransportServer plain =
                    cluster.add(cluster.builder(1).protocol(protocol).start());

            assertFails(
                    dialler,
                    StatusCode.FAILED_PRECONDITION,
                    "the server at " + cluster.spec.address("worker", 1) + " does not speak TLS; all workers must");
            assertThat(plain.statistics().refusedConnections()).isPositive();
            assertThat(grpc.lines()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aWorkerInPlaintextIsToldThatItsPeerMayWantTls(String protocol) {
        dialler(protocol);
        TransportServer plain = cluster.add(cluster.builder(1)
                .protocol(protocol)
                .connectTimeout(Duration.ofSeconds(1))
                .start());

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> plain.awaitPeers(Duration.ofSeconds(3)))
                .withMessageContaining("the server has closed the connection; do all workers have TLS, or none?");
    }

    /// A peer that shows a certificate of an untrusted authority, and is gone afterwards.
    private void meetsAWrongPeer(TransportServer dialler, String protocol) {
        TransportServer wrong = cluster.builder(1)
                .protocol(protocol)
                .security(TestAuthority.create("other").files(folder.resolve("other"), TestAuthority.worker(1)))
                .start();
        try (wrong) {
            assertFails(dialler, StatusCode.UNAUTHENTICATED, "is refused");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void oncePeersHaveTheRightFilesTheyMeet(String protocol) throws Exception {
        TransportServer dialler = dialler(protocol);
        meetsAWrongPeer(dialler, protocol);
        TransportServer right = cluster.add(cluster.builder(1)
                .protocol(protocol)
                .security(authority.files(folder.resolve("right"), TestAuthority.worker(1)))
                .start());
        dialler.awaitPeers(LONG);
        TransferLoop.transfer(right, dialler, 1, 11);
    }

    /// A channel reports its latest failed attempt until another attempt fails.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aFailureOfLongAgoIsNotThatOfAPeerThatHasYetToAnswer(String protocol) throws Exception {
        TransportServer dialler = dialler(protocol);
        meetsAWrongPeer(dialler, protocol);
        WorkerAddress address = WorkerAddress.parse(cluster.spec.address("worker", 1), "address");
        try (var silent = new ServerSocket(address.port(), 100, InetAddress.getLoopbackAddress())) {
            assertThat(silent.isBound()).isTrue();
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> dialler.awaitPeers(Duration.ofMillis(700)))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
        }
    }
}
