package io.tensorferry.grpc.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// Reads the names in a certificate.
public final class CertificateNames {
    private static final int URI = 6;

    private CertificateNames() {}

    /// The URIs among the subject alternative names; empty if the names cannot be parsed.
    static List<String> uris(X509Certificate certificate) {
        return alternativeNames(certificate)
                .filter(name -> name.getFirst().equals(URI))
                .map(name -> String.valueOf(name.get(1)))
                .toList();
    }

    private static Stream<? extends List<?>> alternativeNames(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null ? Stream.empty() : names.stream();
        } catch (CertificateParsingException _) {
            return Stream.empty();
        }
    }

    /// Formats the names for messages, as `CN=worker 1 (tensorferry:/job:worker/replica:0/task:1)`.
    public static String described(X509Certificate certificate) {
        List<String> uris = uris(certificate);
        return certificate.getSubjectX500Principal().getName()
                + (uris.isEmpty() ? " (no URI among its names)" : " (" + String.join(", ", uris) + ")");
    }
}
