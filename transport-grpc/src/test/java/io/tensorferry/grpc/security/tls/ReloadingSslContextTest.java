package io.tensorferry.grpc.security.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.tensorferry.grpc.TestAuthority;
import io.tensorferry.grpc.security.TransportSecurity;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadingSslContextTest {
    @Test
    void otherCredentialsHaveSessionsOfTheirOwn(@TempDir Path folder) {
        // So that a session that was established under an earlier trust cannot be resumed.
        String worker = TestAuthority.worker(0);
        TransportSecurity files = TestAuthority.create("authority").files(folder, worker);
        var current = new AtomicReference<>(Credentials.of(TlsFiles.read(files), files, worker));
        var context = new ReloadingSslContext(current::get, ReloadingSslContextTest::contextOf);

        var before = context.sessionContext();
        assertThat(context.newEngine(ByteBufAllocator.DEFAULT).getUseClientMode())
                .isFalse();
        assertThat(context.sessionContext()).as("the same credentials").isSameAs(before);

        current.set(Credentials.of(TlsFiles.read(files), files, worker));
        assertThat(context.sessionContext()).as("other credentials").isNotSameAs(before);
    }

    private static SslContext contextOf(Credentials credentials) {
        try {
            return SslContextBuilder.forServer(credentials.keyManager()).build();
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }
}
