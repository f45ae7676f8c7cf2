package io.tensorferry.grpc.security;

import java.security.cert.X509Certificate;
import java.util.regex.Pattern;

/// Maps certificates to workers.
///
/// Both ends of every connection consult it, only for certificates that a trusted authority has issued and that are
/// valid now. The result for a connection does not change later.
///
/// Threading: any thread. Implementations must not block.
@FunctionalInterface
public interface PeerIdentity {
    /// Whether `certificate` belongs to `worker`.
    ///
    /// @param certificate the end entity's certificate, trusted and valid
    /// @param worker the worker's name, as `/job:worker/replica:0/task:1`
    boolean isOf(X509Certificate certificate, String worker);

    /// Returns the default mapping: the certificate has a subject alternative name URI of `tensorferry:` followed by
    /// the worker's name, as `tensorferry:/job:worker/replica:0/task:1`. A certificate with several such URIs belongs
    /// to several workers.
    static PeerIdentity workerUri() {
        return (certificate, worker) -> CertificateNames.uris(certificate).contains("tensorferry:" + worker);
    }

    /// Returns a mapping for authorities that issue SPIFFE identities: the URI
    /// `spiffe://DOMAIN/job/worker/replica/0/task/1`.
    ///
    /// @param trustDomain as `cluster-7.example.org`
    /// @throws IllegalArgumentException if it is not 1 to 255 lower-case letters, digits, `.`, `-` and `_`
    static PeerIdentity spiffe(String trustDomain) {
        if (!Pattern.matches("[a-z0-9._-]{1,255}", trustDomain)) {
            throw new IllegalArgumentException("trust domain '" + trustDomain
                    + "' must be 1 to 255 lower-case letters, digits, '.', '-' and '_', as cluster-7.example.org");
        }
        return (certificate, worker) ->
                CertificateNames.uris(certificate).contains("spiffe://" + trustDomain + worker.replace(':', '/'));
    }
}
