package io.tensorferry.grpc.security.tls;

import io.tensorferry.grpc.security.TransportSecurity;

/// The three files of a [TransportSecurity] as they were at one moment.
record TlsFiles(PemFile certificate, PemFile key, PemFile trust) {
    /// @throws IllegalArgumentException naming a file that cannot be read
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
