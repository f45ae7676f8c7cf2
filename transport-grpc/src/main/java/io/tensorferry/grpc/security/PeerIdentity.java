package io.tensorferry.grpc.security;

import java.security.cert.X509Certificate;
import java.util.regex.Pattern;

/// Says whose a certificate is. It is asked for certificates only that one of the trusted authorities has issued and
/// that are valid now, at both ends of every connection; the answer for a connection does not change.
///
/// Threading: any thread. It must not block.
@FunctionalInterface
public interface PeerIdentity {
    /// Whether `certificate` is that of `worker`.
    ///
    /// @param certificate the end entity's, trusted and valid
    /// @param worker as `/job:worker/replica:0/task:1`
    boolean isOf(X509Certificate certificate, String worker);

    /// The default: the certificate carries the URI `tensorferry:` followed by the worker's name as a subject
    /// alternative name, as `tensorferry:/job:worker/replica:0/task:1`. A certificate with several of them is that of
    /// several workers.
    static PeerIdentity workerUri() {
        return (certificate, worker) -> CertificateNames.uris(certificate).contains("tensorferry:" + worker);
    }

    /// For authorities that issue SPIFFE identities: the URI `spiffe://DOMAIN/job/worker/replica/0/task/1`.
    ///
    /// @param trustDomain as `cluster-7.example.org`
    /// @throws IllegalArgumentException if it is not lower-case letters, digits, `.`, `-` and `_`
    static PeerIdentity spiffe(String trustDomain) {
        if (!Pattern.matches("[a-z0-9._-]{1,255}", trustDomain)) {
            throw new IllegalArgumentException("trust domain '" + trustDomain
                    + "' must be 1 to 255 lower-case letters, digits, '.', '-' and '_', as cluster-7.example.org");
        }
        return (certificate, worker) ->
                CertificateNames.uris(certificate).contains("spiffe://" + trustDomain + worker.replace(':', '/'));
    }
}
