package io.tensorferry.grpc;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tensorferry.grpc.security.TransportSecurity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// A certificate authority for one test, and the certificates that it issues.
public final class TestAuthority {
    private final X509Bundle root;

    private TestAuthority(X509Bundle root) {
        this.root = root;
    }

    public static TestAuthority create(String name) {
        try {
            return new TestAuthority(new CertificateBuilder()
                    .subject("CN=" + name)
                    .ecp256()
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static String worker(int task) {
        return "/job:worker/replica:0/task:" + task;
    }

    X509Bundle issue(String... workers) {
        return issue(Instant.now().plus(Duration.ofHours(1)), workers);
    }

    X509Bundle expired(String worker) {
        return issue(Instant.now().minus(Duration.ofMinutes(1)), worker);
    }

    X509Bundle issue(Instant notAfter, String... workers) {
        try {
            CertificateBuilder builder = new CertificateBuilder()
                    .subject("CN=test of " + workers.length)
                    .ecp256()
                    .notBefore(Instant.now().minus(Duration.ofHours(1)))
                    .notAfter(notAfter);
            for (String worker : workers) {
                builder.addSanUriName("tensorferry:" + worker);
            }
            return builder.buildIssuedBy(root);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    String rootPem() {
        return root.getCertificatePEM();
    }

    /// Writes the files of `worker` into a new folder below `folder`.
    public TransportSecurity files(Path folder, String worker) {
        return files(folder, worker, issue(worker));
    }

    /// The same, with a certificate that expires at `notAfter`.
    public TransportSecurity files(Path folder, String worker, Instant notAfter) {
        return files(folder, worker, issue(notAfter, worker));
    }

    private TransportSecurity files(Path folder, String worker, X509Bundle certificate) {
        return write(folder.resolve(worker.replace('/', '_').replace(':', '_')), certificate, rootPem());
    }

    /// Replaces the three existing files, each atomically.
    static TransportSecurity write(Path folder, X509Bundle bundle, String trust) {
        try {
            Files.createDirectories(folder);
            return TransportSecurity.ofFiles(
                    replace(folder.resolve("certificate.pem"), bundle.getCertificatePathPEM()),
                    replace(folder.resolve("key.pem"), bundle.getPrivateKeyPEM()),
                    replace(folder.resolve("trust.pem"), trust));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path replace(Path file, String text) throws IOException {
        return Files.writeString(file, text);
    }
}
