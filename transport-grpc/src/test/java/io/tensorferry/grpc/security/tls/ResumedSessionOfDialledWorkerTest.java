package io.tensorferry.grpc.security.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.tensorferry.grpc.TestAuthority;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A dialled worker whose certificate expires while its TLS session can still be resumed. Two engines exchange their
/// bytes in memory.
@Timeout(120)
class ResumedSessionOfDialledWorkerTest {
    private static final String LISTENER = TestAuthority.worker(0);
    private static final String DIALLER = TestAuthority.worker(1);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final TestAuthority authority = TestAuthority.create("authority");

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    /// One end of a connection, and the bytes that it has sent and the other has not read.
    private static final class End {
        private final SSLEngine engine;
        private final ByteBuffer sent = ByteBuffer.allocate(1 << 17).limit(0);
        private final ByteBuffer content = ByteBuffer.allocate(1 << 17);

        End(SSLEngine engine) {
            this.engine = engine;
        }

        /// Does all that it can without further bytes; returns whether that was anything.
        boolean proceed(End from) throws SSLException {
            boolean any = false;
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> {
                        engine.getDelegatedTask().run();
                        any = true;
                    }
                    case NEED_WRAP -> {
                        sent.compact();
                        engine.wrap(ByteBuffer.allocate(0), sent);
                        sent.flip();
                        any = true;
                    }
                    default -> {
                        if (!from.sent.hasRemaining()
                                || engine.unwrap(from.sent, content.clear()).bytesConsumed() == 0) {
                            return any;
                        }
                        any = true;
                    }
                }
            }
        }
    }

    /// Connects, and returns the time at which the session began.
    private static long connect(SslContext dialling, SslContext listening) throws SSLException {
        var dialler = new End(dialling.newEngine(ByteBufAllocator.DEFAULT, "host", 7));
        var listener = new End(listening.newEngine(ByteBufAllocator.DEFAULT));
        dialler.engine.beginHandshake();
        listener.engine.beginHandshake();
        boolean any = true;
        while (any) {
            any = dialler.proceed(listener);
            any |= listener.proceed(dialler);
        }
        assertThat(dialler.engine.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        assertThat(listener.engine.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        return dialler.engine.getSession().getCreationTime();
    }

    private static void awaitAfter(Instant end) throws InterruptedException {
        while (!Instant.now().isAfter(end)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void isRefusedAndIsResumedBefore() throws Exception {
        try (Tls dialler = Tls.open(authority.files(folder, DIALLER), DIALLER, timer)) {
            SslContext dialling = dialler.clientContext(LISTENER);
            // On a slow machine a short-lived certificate may expire before its last handshake.
            for (int seconds = 4; ; seconds *= 2) {
                Instant end = Instant.now().plus(Duration.ofSeconds(seconds)).truncatedTo(ChronoUnit.SECONDS);
                try (Tls listener = Tls.open(authority.files(folder, LISTENER, end), LISTENER, timer)) {
                    SslContext listening = listener.serverContext();
                    long first = connect(dialling, listening);
                    // So that the times of two full handshakes differ.
                    awaitAfter(Instant.ofEpochMilli(first + 1));
                    long second = connect(dialling, listening);
                    if (!Instant.now().isBefore(end)) {
                        continue;
                    }
                    assertThat(second)
                            .as("the second connection resumes the session")
                            .isEqualTo(first);
                    awaitAfter(end.plusSeconds(1));
                    assertThatExceptionOfType(SSLHandshakeException.class)
                            .isThrownBy(() -> connect(dialling, listening))
                            .withMessageContaining("PKIX path validation failed");
                    return;
                } catch (SSLHandshakeException | IllegalArgumentException e) {
                    if (Instant.now().isBefore(end)) {
                        throw e;
                    }
                }
            }
        }
    }
}
