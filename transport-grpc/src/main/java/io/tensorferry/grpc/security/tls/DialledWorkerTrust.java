package io.tensorferry.grpc.security.tls;

import io.tensorferry.grpc.security.CertificateNames;
import io.tensorferry.grpc.security.PeerIdentity;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Trusts a server only if its certificate belongs to the worker that was dialled. The standard check compares the host
/// name or address, which does not distinguish several workers on one host.
public final class DialledWorkerTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager anchors;
    private final PeerIdentity identity;
    private final String worker;

    DialledWorkerTrust(X509ExtendedTrustManager anchors, PeerIdentity identity, String worker) {
        this.anchors = anchors;
        this.identity = identity;
        this.worker = worker;
    }

    /// The certificate is trusted, but belongs to another worker.
    public static final class WrongWorkerException extends CertificateException {
        private static final long serialVersionUID = 1;

        public WrongWorkerException(String message) {
            super(message);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        anchors.checkServerTrusted(chain, authType);
        if (!identity.isOf(chain[0], worker)) {
            throw new WrongWorkerException(
                    "the certificate is that of " + CertificateNames.described(chain[0]) + ", not of " + worker);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("this end dials");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return anchors.getAcceptedIssuers();
    }
}
