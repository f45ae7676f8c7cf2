package io.tensorferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Checks with certificates, and without certificates where they are needed.
@Timeout(120)
class SecureCheckTest {
    @TempDir
    private Path folder;

    private static X509Bundle authority() throws Exception {
        return new CertificateBuilder()
                .subject("CN=authority")
                .ecp256()
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static String freeAddress() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    private Map<String, String> files(String who, X509Bundle authority) throws Exception {
        X509Bundle own = new CertificateBuilder().subject("CN=" + who).ecp256().buildIssuedBy(authority);
        return Map.of(
                "RDMA_DEVICE",
                "soft0",
                "RDMA_TLS_CERTIFICATE",
                write(who + ".pem", own.getCertificatePathPEM()),
                "RDMA_TLS_KEY",
                write(who + "-key.pem", own.getPrivateKeyPEM()),
                "RDMA_TLS_TRUST",
                write(who + "-trust.pem", authority.getCertificatePEM()));
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void bothEndsTakeTheFilesAsVariablesOrAsOptions() throws Exception {
        X509Bundle authority = authority();
        String address = freeAddress();
        Run server = Run.start(files("server", authority), "serve", address, "--once")
                .awaitOutput("serving checks on " + address);
        Map<String, String> caller = files("caller", authority);
        Run check = Run.start(
                "check",
                address,
                "--sizes=4KiB",
                "--tls-certificate=" + caller.get("RDMA_TLS_CERTIFICATE"),
                "--tls-key=" + caller.get("RDMA_TLS_KEY"),
                "--tls-trust=" + caller.get("RDMA_TLS_TRUST"));
        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).as(server.out()).isZero();
    }

    @Test
    void aCallerOfAnotherAuthorityIsRefusedAndSaysWhy() throws Exception {
        String address = freeAddress();
        Run server =
                Run.start(files("server", authority()), "serve", address).awaitOutput("serving checks on " + address);
        Run check = Run.start(files("caller", authority()), "check", address, "--sizes=4KiB");
        assertThat(check.status()).isOne();
        assertThat(check.err())
                .contains("UNAUTHENTICATED: the certificate of the worker at " + address + " is refused");
        server.interrupt();
        assertThat(server.status()).isZero();
    }

    @Test
    void plaintextBeyondThisMachineMustBeAllowed() throws Exception {
        // Not an address of any machine: an allowed server fails later, when it cannot listen.
        Run refused = Run.start("serve", "192.0.2.1:7471");
        assertThat(refused.status()).isOne();
        assertThat(refused.err())
                .contains("would speak plaintext beyond this machine (listens on 192.0.2.1)")
                .contains("give --tls-certificate, --tls-key, --tls-trust, or,")
                .contains("--allow-insecure")
                .doesNotContain("security(", "allowInsecure(", "/job:");
        for (Map<String, String> environment : List.of(
                Map.of("RDMA_DEVICE", "soft0"), Map.of("RDMA_DEVICE", "soft0", "RDMA_ALLOW_INSECURE", "true"))) {
            var arguments = new ArrayList<>(List.of("serve", "192.0.2.1:7471"));
            if (environment.size() == 1) {
                arguments.add("--allow-insecure");
            }
            Run allowed = Run.start(environment, arguments.toArray(String[]::new));
            assertThat(allowed.status()).isOne();
            assertThat(allowed.err())
                    .contains("FAILED_PRECONDITION: cannot listen on 192.0.2.1:7471: ")
                    .contains("give an address of this machine, and a free port")
                    .doesNotContain("bindAddress(", "the cluster");
        }
    }

    @Test
    void someFilesAreWrongUsage() throws Exception {
        Run check = Run.start("check", "127.0.0.1:1", "--tls-key=key.pem");
        assertThat(check.status()).isEqualTo(2);
        assertThat(check.err())
                .contains("missing: --tls-certificate (RDMA_TLS_CERTIFICATE), --tls-trust (RDMA_TLS_TRUST)");
    }
}
