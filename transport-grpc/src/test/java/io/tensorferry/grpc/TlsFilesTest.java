package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tensorferry.grpc.security.TransportSecurity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A mistake in the TLS files is reported when the server starts, with the name of the file.
class TlsFilesTest {
    private static final String WORKER = TestAuthority.worker(0);

    private final TestAuthority authority = TestAuthority.create("authority");

    @TempDir
    private Path folder;

    private void assertRefused(TransportSecurity security, String... words) {
        var refused = assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new TestCluster(1).builder(0).security(security).start());
        for (String word : words) {
            refused.withMessageContaining(word);
        }
    }

    private TransportSecurity files(X509Bundle bundle) {
        return TestAuthority.write(folder, bundle, authority.rootPem());
    }

    @Test
    void aFileThatDoesNotExist() {
        TransportSecurity good = files(authority.issue(WORKER));
        Path none = folder.resolve("none.pem");
        assertRefused(
                TransportSecurity.ofFiles(none, good.key(), good.trust()),
                "the certificate file " + none,
                "does not exist");
        assertRefused(
                TransportSecurity.ofFiles(good.certificate(), none, good.trust()), "the private key file " + none);
        assertRefused(TransportSecurity.ofFiles(good.certificate(), good.key(), none), "the trust file " + none);
        assertRefused(
                TransportSecurity.ofFiles(folder, good.key(), good.trust()),
                "the certificate file " + folder + " cannot be read");
    }

    @Test
    void filesThatWereExchanged() {
        TransportSecurity good = files(authority.issue(WORKER));
        assertRefused(
                TransportSecurity.ofFiles(good.key(), good.certificate(), good.trust()),
                good.key() + " has no certificate; it must hold PEM blocks '-----BEGIN CERTIFICATE-----'");
        assertRefused(
                TransportSecurity.ofFiles(good.certificate(), good.trust(), good.trust()),
                good.trust() + " has no private key; it must hold a PEM block '-----BEGIN PRIVATE KEY-----'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"})
    void aKeyInAnotherForm(String form) throws Exception {
        TransportSecurity good = files(authority.issue(WORKER));
        TestAuthority.replace(good.key(), "-----BEGIN " + form + "-----\nAAAA\n-----END " + form + "-----\n");
        assertRefused(good, good.key().toString(), "'" + form + "'", "openssl pkcs8 -topk8 -nocrypt -in");
    }

    @Test
    void aKeyOfAnotherCertificate() throws Exception {
        TransportSecurity good = files(authority.issue(WORKER));
        TestAuthority.replace(good.key(), authority.issue(WORKER).getPrivateKeyPEM());
        assertRefused(good, good.key() + " has another key than that of the certificate in " + good.certificate());
    }

    @Test
    void aKeyOfAnotherKind() throws Exception {
        TransportSecurity good = files(authority.issue(WORKER));
        X509Bundle rsa = new CertificateBuilder()
                .subject("CN=rsa")
                .rsa2048()
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        TestAuthority.replace(good.key(), rsa.getPrivateKeyPEM());
        assertRefused(good, good.key() + " has no EC key, which the certificate in " + good.certificate() + " needs");
    }

    @Test
    void damagedFiles() throws Exception {
        TransportSecurity good = files(authority.issue(WORKER));
        TestAuthority.replace(good.trust(), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(good, good.trust() + " has a certificate, number 1, that is none");
        TestAuthority.replace(good.trust(), "");
        assertRefused(good, good.trust() + " has no certificate");
        Files.write(good.trust(), new byte[(4 << 20) + 1]);
        assertRefused(good, good.trust() + " has more than 4194304 bytes");
    }

    @Test
    void anExpiredCertificate() {
        TransportSecurity files = files(authority.expired(WORKER));
        assertRefused(files, "the certificate in " + files.certificate() + " expired at 20", "must be renewed");
    }

    @Test
    void aCertificateThatPeersWouldNotTrust() {
        TransportSecurity files =
                TestAuthority.write(folder, TestAuthority.create("other").issue(WORKER), authority.rootPem());
        assertRefused(
                files,
                "the certificate in " + files.certificate() + " would be refused by a worker that trusts what is in "
                        + files.trust());
    }

    @Test
    void anotherWorkersCertificate() {
        TransportSecurity files = files(authority.issue(TestAuthority.worker(1)));
        assertRefused(
                files,
                "the certificate in " + files.certificate() + " is not that of " + WORKER,
                "tensorferry:/job:worker/replica:0/task:1",
                "needs the subject alternative name URI:tensorferry:/job:worker/replica:0/task:0");
    }

    @Test
    void aRefusedStartLeavesNothingBehind() {
        TransportSecurity wrong = files(authority.issue(TestAuthority.worker(1)));
        var cluster = new TestCluster(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.builder(0).security(wrong).start());
        TransportSecurity right = files(authority.issue(WORKER));
        try (var server = cluster.builder(0).security(right).start()) {
            assertThat(server.workerName()).isEqualTo(WORKER);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"rsa2048", "ecp256", "ecp384", "ed25519"})
    void keysOfEveryUsualKindServe(CertificateBuilder.Algorithm algorithm) throws Exception {
        X509Bundle root = new CertificateBuilder()
                .subject("CN=root")
                .algorithm(algorithm)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        var cluster = new TestCluster(2);
        try (cluster) {
            for (int task = 0; task < 2; task++) {
                X509Bundle own = new CertificateBuilder()
                        .subject("CN=worker")
                        .algorithm(algorithm)
                        .addSanUriName("tensorferry:" + TestAuthority.worker(task))
                        .buildIssuedBy(root);
                cluster.add(cluster.builder(task)
                        .security(TestAuthority.write(folder.resolve("task" + task), own, root.getCertificatePEM()))
                        .start());
            }
            cluster.server(0).awaitPeers(Duration.ofSeconds(20));
            TransferLoop.transfer(cluster.server(0), cluster.server(1), 1, 3);
        }
    }

    @Test
    void theEnvironmentNamesAllThreeOrNone() {
        assertThat(TransportSecurity.from(Map.of())).isEmpty();
        var all = Map.of("RDMA_TLS_CERTIFICATE", "c.pem", "RDMA_TLS_KEY", " k.pem ", "RDMA_TLS_TRUST", "t.pem");
        assertThat(TransportSecurity.from(all)).hasValueSatisfying(security -> {
            assertThat(security.certificate()).isEqualTo(Path.of("c.pem"));
            assertThat(security.key()).isEqualTo(Path.of("k.pem"));
            assertThat(security.trust()).isEqualTo(Path.of("t.pem"));
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransportSecurity.from(Map.of("RDMA_TLS_KEY", "k.pem")))
                .withMessageStartingWith("[RDMA_TLS_KEY] is set and [RDMA_TLS_CERTIFICATE, RDMA_TLS_TRUST] is not");
    }
}
