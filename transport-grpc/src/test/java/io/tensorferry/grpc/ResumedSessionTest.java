package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A certificate that expires while its TLS session can still be resumed: TLS does not verify it again.
@Timeout(120)
class ResumedSessionTest {
    private static final String CALLER = TestAuthority.worker(1);

    private final TestAuthority authority = TestAuthority.create("authority");
    private final TestCluster cluster = new TestCluster(2);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void aCallerWhoseCertificateHasExpiredSinceTheSessionBeganIsRefused() throws Exception {
        TransportServer server = cluster.add(cluster.builder(0)
                .security(authority.files(folder, TestAuthority.worker(0)))
                .start());
        String address = cluster.spec.address("worker", 0);

        // On a slow machine a short-lived certificate may expire before its first handshake.
        SslContext sessions = null;
        Instant end = Instant.EPOCH;
        for (int seconds = 3; sessions == null; seconds *= 2) {
            end = Instant.now().plus(Duration.ofSeconds(seconds)).truncatedTo(ChronoUnit.SECONDS);
            X509Bundle certificate = authority.issue(end, CALLER);
            SslContext context = Stranger.contextOf(certificate);
            try (var first = Stranger.over(context, address)) {
                if (first.ping(CALLER).isOk()) {
                    sessions = context;
                }
            }
        }
        while (!Instant.now().isAfter(end.plusSeconds(1))) {
            TimeUnit.MILLISECONDS.sleep(20);
        }

        long refusedCalls = server.statistics().refusedCalls();
        try (var resumed = Stranger.over(sessions, address)) {
            // TLS itself refuses an expired certificate in a full handshake, with UNAVAILABLE.
            assertThat(resumed.ping(CALLER).getCode())
                    .as("a call over a resumed session")
                    .isEqualTo(Status.Code.UNAUTHENTICATED);
        }
        assertThat(server.statistics().refusedCalls()).isEqualTo(refusedCalls + 1);
    }
}
