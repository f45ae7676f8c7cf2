package io.tensorferry.grpc.security.tls;

import io.grpc.util.AdvancedTlsX509KeyManager;
import io.tensorferry.grpc.security.CertificateNames;
import io.tensorferry.grpc.security.TransportSecurity;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// This worker's certificate chain and key, and the authorities that it trusts, validated. Immutable.
///
/// @param chain this worker's certificate, followed by its issuers
/// @param anchors trusts the authorities of the trust file, for servers and for clients
record Credentials(List<X509Certificate> chain, PrivateKey key, X509ExtendedTrustManager anchors) {
    // For certificates that are verified outside a handshake.
    private static final String ANY_KEY_EXCHANGE = "UNKNOWN";

    /// Performs the checks that peers will perform, so that a mistake is reported at start-up with the name of the
    /// file: the key matches the certificate, the certificate is valid and belongs to this worker, and an authority of
    /// the trust file has issued it for servers and for clients.
    ///
    /// @throws IllegalArgumentException if a check fails; the message names the file and the remedy
    static Credentials of(TlsFiles files, TransportSecurity security, String worker) {
        List<X509Certificate> chain = files.certificate().certificates();
        PrivateKey key = files.key().privateKeyOf(chain.getFirst().getPublicKey(), security.certificate());
        X509ExtendedTrustManager anchors = trust(files.trust().certificates(), security.trust());
        checkValid(chain.getFirst(), security.certificate());
        checkIssued(chain, anchors, security);
        if (!security.identity().isOf(chain.getFirst(), worker)) {
            throw new IllegalArgumentException("the certificate in " + security.certificate() + " is not that of "
                    + worker + ", it is that of " + CertificateNames.described(chain.getFirst())
                    + "; unless a PeerIdentity says otherwise it needs the subject alternative name URI:tensorferry:"
                    + worker);
        }
        return new Credentials(List.copyOf(chain), key, anchors);
    }

    /// Returns a key manager that presents the certificate whichever authorities the other end accepts. An untrusted
    /// certificate is then refused with a reason; an absent one would only be reported as missing.
    X509ExtendedKeyManager keyManager() {
        var manager = new AdvancedTlsX509KeyManager();
        manager.updateIdentityCredentials(chain.toArray(X509Certificate[]::new), key);
        return manager;
    }

    private static void checkValid(X509Certificate certificate, Path file) {
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException e) {
            throw new IllegalArgumentException(
                    "the certificate in " + file + " expired at "
                            + certificate.getNotAfter().toInstant() + "; it must be renewed",
                    e);
        } catch (CertificateNotYetValidException e) {
            throw new IllegalArgumentException(
                    "the certificate in " + file + " is not valid before "
                            + certificate.getNotBefore().toInstant() + "; is this machine's clock right?",
                    e);
        }
    }

    private static void checkIssued(
            List<X509Certificate> chain, X509ExtendedTrustManager anchors, TransportSecurity security) {
        X509Certificate[] path = chain.toArray(X509Certificate[]::new);
        try {
            anchors.checkServerTrusted(path, ANY_KEY_EXCHANGE);
            anchors.checkClientTrusted(path, ANY_KEY_EXCHANGE);
        } catch (CertificateException e) {
            throw new IllegalArgumentException(
                    "the certificate in " + security.certificate()
                            + " would be refused by a worker that trusts what is in " + security.trust() + " ("
                            + e.getMessage() + "); it must be issued by an authority of that file, for servers and for"
                            + " clients, and its file must hold the authorities between them",
                    e);
        }
    }

    private static X509ExtendedTrustManager trust(List<X509Certificate> authorities, Path file) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry("authority-" + i, authorities.get(i));
            }
            var factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509ExtendedTrustManager found) {
                    return found;
                }
            }
            throw new IllegalStateException("this JDK has no X.509 trust manager");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the trust file " + file + " cannot be used: " + e.getMessage(), e);
        }
    }
}
