package io.tensorferry.grpc.security.tls;

import io.tensorferry.grpc.security.TransportSecurity;

/// The content of the three files of a [TransportSecurity] at one time.
record TlsFiles(PemFile certificate, PemFile key, PemFile trust) {
    /// Reads the three files.
    ///
    /// @throws IllegalArgumentException if a file cannot be read; the message names it
    static TlsFiles read(TransportSecurity security) {
        return new TlsFiles(
                PemFile.read("certificate", security.certificate()),
                PemFile.read("private key", security.key()),
                PemFile.read("trust", security.trust()));
    }

    boolean haveSameText(TlsFiles other) {
        return certificate.hasSameText(other.certificate)
                && key.hasSameText(other.key)
                && trust.hasSameText(other.trust);
    }
}
