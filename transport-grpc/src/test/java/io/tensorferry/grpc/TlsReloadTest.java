package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.netty.pkitesting.X509Bundle;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.grpc.security.tls.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The TLS files change while a server runs.
@Timeout(60)
class TlsReloadTest {
    private static final Duration INTERVAL = Duration.ofMillis(20);
    private static final long LIMIT_NS = Duration.ofSeconds(20).toNanos();
    private static final String SERVER = TestAuthority.worker(0);
    private static final String PEER = TestAuthority.worker(1);

    private final TestAuthority old = TestAuthority.create("old");
    private final TestAuthority young = TestAuthority.create("young");
    private final TestCluster cluster = new TestCluster(2);

    @TempDir
    private Path folder;

    private TransportSecurity files;
    private TransportServer server;
    private LogLines log;

    @BeforeEach
    void start() {
        log = LogLines.of(Tls.class);
        files = TestAuthority.write(folder, old.issue(SERVER), old.rootPem());
        server = cluster.add(
                cluster.builder(0).security(files.withReloadInterval(INTERVAL)).start());
    }

    @AfterEach
    void stop() {
        cluster.close();
        log.close();
    }

    private Status ping(X509Bundle certificate) throws Exception {
        try (var caller = Stranger.with(certificate, cluster.spec.address("worker", 0))) {
            return caller.ping(PEER);
        }
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + LIMIT_NS;
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void newConnectionsUseTheNewTrustAndOldOnesGoOn() throws Exception {
        X509Bundle ofOld = old.issue(PEER);
        try (var early = Stranger.with(ofOld, cluster.spec.address("worker", 0))) {
            assertThat(early.ping(PEER).isOk()).isTrue();
            assertThat(ping(young.issue(PEER)).getCode()).isEqualTo(Status.Code.UNAVAILABLE);

            TestAuthority.replace(files.trust(), old.rootPem() + young.rootPem());
            await("both are trusted", () -> ping(young.issue(PEER)).isOk());
            assertThat(ping(ofOld).isOk()).isTrue();

            TestAuthority.write(folder, young.issue(SERVER), young.rootPem());
            await("the old one is trusted no more", () -> !ping(ofOld).isOk());
            assertThat(ping(ofOld).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(ping(young.issue(PEER)).isOk()).isTrue();
            assertThat(early.ping(PEER).isOk()).as("a connection that was open").isTrue();
        }
    }

    @Test
    void diallingUsesTheNewCertificate() throws Exception {
        TestAuthority.replace(files.trust(), old.rootPem() + young.rootPem());
        // The peer trusts the young authority alone, and so not yet this server.
        TransportServer peer = cluster.add(cluster.builder(1)
                .security(young.files(folder.resolve("peer"), PEER))
                .start());
        TestAuthority.write(folder, young.issue(SERVER), old.rootPem() + young.rootPem());
        await("the peer lets this server in", () -> {
            try {
                server.awaitPeers(Duration.ofSeconds(5));
                return true;
            } catch (TransportException _) {
                return false;
            }
        });
        TransferLoop.transfer(peer, server, 1, 1);
    }

    @Test
    void filesThatAreWrongKeepTheOldOnesAndAreSaidOnce() throws Exception {
        X509Bundle caller = old.issue(PEER);
        TestAuthority.replace(files.key(), "nothing");
        await("it is said", () -> !log.warnings().isEmpty());
        assertThat(ping(caller).isOk()).isTrue();

        // Another mistake, and a missing file: no second report.
        TestAuthority.replace(files.certificate(), "nothing");
        Thread.sleep(INTERVAL.multipliedBy(5));
        Files.delete(files.trust());
        Thread.sleep(INTERVAL.multipliedBy(5));
        assertThat(ping(caller).isOk()).isTrue();
        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains(SERVER + " goes on with the TLS files that it has read before")
                .contains(files.key() + " has no private key");

        TestAuthority.write(folder, old.issue(SERVER), old.rootPem() + young.rootPem());
        await("the files are good again", () -> ping(young.issue(PEER)).isOk());
        TestAuthority.replace(files.key(), "nothing again");
        await("it is said again", () -> log.warnings().size() == 2);
    }

    @Test
    void aStoppedServerLooksNoMore() throws Exception {
        // The server reads the files: the mistake is reported.
        TestAuthority.replace(files.key(), "nothing");
        await("it is said", () -> log.warnings().size() == 1);
        TestAuthority.write(folder, old.issue(SERVER), old.rootPem());
        server.close();

        TestAuthority.replace(files.key(), "nothing again");
        Thread.sleep(INTERVAL.multipliedBy(10));

        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void aCertificateOfAnotherWorkerIsNotTaken() throws Exception {
        TestAuthority.write(folder, old.issue(PEER), old.rootPem());
        await("it is said", () -> !log.warnings().isEmpty());
        assertThat(log.warnings().getFirst()).contains("is not that of " + SERVER);
        assertThat(ping(old.issue(PEER)).isOk()).isTrue();
    }
}
