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

/// The mutual TLS of one server, at both ends of its connections, with what its files said when they were last right.
///
/// Threading: any thread. The files are read on a virtual thread, never on the timer's.
public final class Tls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    // Both ends are this protocol's: there is nobody who needs an older one.
    private static final String VERSION = "TLSv1.3";

    private final TransportSecurity security;
    private final String worker;
    private volatile Credentials credentials;
    private volatile @Nullable ScheduledFuture<?> schedule;
    // What the last look found, null if it could not be read; and what was judged last, right or wrong. Guarded by
    // this.
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

    /// Reads the files and keeps looking at them until this is closed.
    ///
    /// @throws IllegalArgumentException naming the file that is wrong, and what would be right
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

    /// Takes what the files say now, if it is another thing and right. Three files are not replaced at once, so what a
    /// look finds counts when the next one finds the same.
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

    /// For the listening end: whoever calls must show a certificate.
    public SslContext serverContext() {
        return new ReloadingSslContext(() -> credentials, now -> {
            SslContextBuilder builder = SslContextBuilder.forServer(new OwnKeyManager(now))
                    .trustManager(now.anchors())
                    .clientAuth(ClientAuth.REQUIRE);
            return build(builder);
        });
    }

    /// For dialling `peer`, and nobody else.
    public SslContext clientContext(String peer) {
        return new ReloadingSslContext(() -> credentials, now -> {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .keyManager(new OwnKeyManager(now))
                    .trustManager(new DialledWorkerTrust(now.anchors(), security.identity(), peer));
            return build(builder);
        });
    }

    private static SslContext build(SslContextBuilder builder) {
        try {
            // The JDK's own: the native one would unpack a library into the temporary folder.
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
