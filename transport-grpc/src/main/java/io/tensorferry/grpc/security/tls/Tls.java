package io.tensorferry.grpc.security.tls;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.tensorferry.grpc.security.CertificateNames;
import io.tensorferry.grpc.security.PeerIdentity;
import io.tensorferry.grpc.security.TransportSecurity;
import java.security.cert.X509Certificate;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The mutual TLS of one server, for both ends of its connections, with the last valid content of its files.
///
/// Threading: any thread. The files are read on a virtual thread, never on the timer's thread.
public final class Tls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    // Both ends run this library, so no older version is needed.
    private static final String VERSION = "TLSv1.3";

    private final TransportSecurity security;
    private final String worker;
    private volatile Credentials credentials;
    private volatile @Nullable ScheduledFuture<?> schedule;
    // "seen" is the result of the latest read, null if it failed; "judged" is the latest content that was validated,
    // whether valid or not. Guarded by this.
    private @Nullable TlsFiles seen;
    private boolean unreadable;
    private TlsFiles judged;
    private @Nullable String complaint;

    private Tls(TransportSecurity security, String worker, TlsFiles files) {
        this.security = security;
        this.worker = worker;
        this.seen = files;
        this.judged = files;
        this.credentials = Credentials.of(files, security, worker);
    }

    /// Reads the files, and reads them again periodically until this is closed.
    ///
    /// @throws IllegalArgumentException if a file is invalid; the message names the file and the remedy
    public static Tls open(TransportSecurity security, String worker, ScheduledExecutorService timer) {
        var tls = new Tls(security, worker, TlsFiles.read(security));
        long interval = security.reloadInterval().toNanos();
        tls.schedule = timer.scheduleWithFixedDelay(
                () -> Thread.ofVirtual().name("tensorferry-tls-reload").start(tls::reload),
                interval,
                interval,
                TimeUnit.NANOSECONDS);
        return tls;
    }

    /// Reads the files and adopts changed, valid content. The three files are not replaced atomically, so content takes
    /// effect only when two consecutive reads find it.
    synchronized void reload() {
        TlsFiles files;
        try {
            files = TlsFiles.read(security);
        } catch (RuntimeException e) {
            seen = null;
            if (unreadable) {
                complain(String.valueOf(e.getMessage()));
            }
            unreadable = true;
            return;
        }
        unreadable = false;
        TlsFiles before = seen;
        seen = files;
        if (before != null && files.haveSameText(before) && !files.haveSameText(judged)) {
            judged = files;
            judge(files);
        }
    }

    private void judge(TlsFiles files) {
        try {
            credentials = Credentials.of(files, security, worker);
            complaint = null;
            LOG.info("{} takes the new files of its TLS: {}", worker, describeOwn());
        } catch (RuntimeException e) {
            complain(String.valueOf(e.getMessage()));
        }
    }

    private void complain(String why) {
        if (complaint == null) {
            LOG.warn(
                    "{} goes on with the TLS files that it has read before ({}), for the new ones are wrong: {}",
                    worker,
                    describeOwn(),
                    why);
        }
        complaint = why;
    }

    private String describeOwn() {
        X509Certificate own = credentials.chain().getFirst();
        return "the certificate of " + CertificateNames.described(own) + ", valid until "
                + own.getNotAfter().toInstant();
    }

    PeerIdentity identity() {
        return security.identity();
    }

    /// Returns the context of the listening end, which requires a certificate from callers.
    public SslContext serverContext() {
        return new ReloadingSslContext(() -> credentials, now -> {
            SslContextBuilder builder = SslContextBuilder.forServer(now.keyManager())
                    .trustManager(now.anchors())
                    .clientAuth(ClientAuth.REQUIRE);
            return build(builder);
        });
    }

    /// Returns the context for connections to `peer`, which accepts no other worker's certificate.
    public SslContext clientContext(String peer) {
        return new ReloadingSslContext(() -> credentials, now -> {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .keyManager(now.keyManager())
                    .trustManager(DialledWorkerTrust.of(now.anchors(), security.identity(), peer));
            return build(builder);
        });
    }

    private static SslContext build(SslContextBuilder builder) {
        try {
            // The JDK's provider: the native provider would unpack a library into the temporary directory.
            return GrpcSslContexts.configure(builder, SslProvider.JDK)
                    .protocols(VERSION)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("this JDK has no " + VERSION + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        ScheduledFuture<?> running = schedule;
        if (running != null) {
            running.cancel(false);
        }
    }
}
