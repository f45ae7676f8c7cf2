package io.tensorferry.grpc.security.tls;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;

/// Creates the TLS engine of each connection from the credentials that are current at that time.
///
/// Changed credentials produce a new context with separate sessions and tickets. A session that was established under
/// an authority that is no longer trusted therefore cannot be resumed. Nor does a dialling end resume a session after
/// the expiry of the peer's certificate, because TLS does not verify a resumed session again. At a listening end, which
/// keeps its sessions in tickets, [io.tensorferry.grpc.admission.CallerFilter] checks the validity.
///
/// Threading: any thread.
final class ReloadingSslContext extends SslContext {
    private final Supplier<Credentials> credentials;
    private final Function<Credentials, SslContext> factory;
    private volatile Made made;

    private record Made(Credentials credentials, SslContext context) {}

    ReloadingSslContext(Supplier<Credentials> credentials, Function<Credentials, SslContext> factory) {
        this.credentials = credentials;
        this.factory = factory;
        Credentials first = credentials.get();
        this.made = new Made(first, factory.apply(first));
    }

    private SslContext current() {
        Credentials now = credentials.get();
        Made latest = made;
        if (!latest.credentials().equals(now)) {
            synchronized (this) {
                latest = made;
                if (!latest.credentials().equals(now)) {
                    latest = new Made(now, factory.apply(now));
                    made = latest;
                }
            }
        }
        return latest.context();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
        return current().newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
        SslContext context = current();
        if (context.isClient()) {
            invalidateExpired(context.sessionContext());
        }
        return context.newEngine(allocator, peerHost, peerPort);
    }

    private static void invalidateExpired(SSLSessionContext sessions) {
        for (byte[] id : Collections.list(sessions.getIds())) {
            SSLSession session = sessions.getSession(id);
            if (session != null && !hasValidPeer(session)) {
                session.invalidate();
            }
        }
    }

    private static boolean hasValidPeer(SSLSession session) {
        try {
            ((X509Certificate) session.getPeerCertificates()[0]).checkValidity();
            return true;
        } catch (SSLPeerUnverifiedException | CertificateException e) {
            return false;
        }
    }

    @Override
    public boolean isClient() {
        return made.context().isClient();
    }

    @Override
    public List<String> cipherSuites() {
        return current().cipherSuites();
    }

    @Override
    // Netty's superclass declares this return type.
    @SuppressWarnings("deprecation")
    public io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return made.context().applicationProtocolNegotiator();
    }

    @Override
    public SSLSessionContext sessionContext() {
        return current().sessionContext();
    }
}
