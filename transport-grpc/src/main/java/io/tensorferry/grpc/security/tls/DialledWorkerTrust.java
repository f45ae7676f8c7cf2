package io.tensorferry.grpc.security.tls;

import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.tensorferry.grpc.security.CertificateNames;
import io.tensorferry.grpc.security.PeerIdentity;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Trusts a server only if its certificate belongs to the worker that was dialled. The standard check compares the host
/// name or address, which does not distinguish several workers on one host.
public final class DialledWorkerTrust implements SslSocketAndEnginePeerVerifier {
    private final PeerIdentity identity;
    private final String worker;

    private DialledWorkerTrust(PeerIdentity identity, String worker) {
        this.identity = identity;
        this.worker = worker;
    }

    /// Returns a trust manager that requires a certificate of `worker`, issued by an authority that `anchors` trusts.
    static X509ExtendedTrustManager of(X509ExtendedTrustManager anchors, PeerIdentity identity, String worker) {
        try {
            AdvancedTlsX509TrustManager trust = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
                    .setSslSocketAndEnginePeerVerifier(new DialledWorkerTrust(identity, worker))
                    .build();
            trust.updateTrustCredentials(anchors.getAcceptedIssuers());
            return trust;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JDK refuses the authorities that it has accepted before: " + e, e);
        }
    }

    /// The certificate is trusted, but belongs to another worker.
    public static final class WrongWorkerException extends CertificateException {
        private static final long serialVersionUID = 1;

        public WrongWorkerException(String message) {
            super(message);
        }
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        if (!identity.isOf(chain[0], worker)) {
            throw new WrongWorkerException(
                    "the certificate is that of " + CertificateNames.described(chain[0]) + ", not of " + worker);
        }
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        verifyPeerCertificate(chain, authType, (SSLEngine) null);
    }
}
