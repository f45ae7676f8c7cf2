package io.tensorferry.grpc.security;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a server needs to speak mutual TLS: three PEM files, and how a certificate tells whose it is. Immutable.
///
/// Both ends of every connection show their certificate and check the other's. The files are read again every
/// `reloadInterval`: new connections use what they say now, those that are open go on. Files that are wrong change
/// nothing and are said in one WARN line.
///
/// @param certificate this worker's certificate, then those of the authorities between it and a trusted one
/// @param key its private key: PKCS#8, not encrypted; RSA, EC or EdDSA
/// @param trust the certificates of the authorities that issue the certificates of the cluster's workers, and nobody
///     else's
/// @param identity whose a certificate is
/// @param reloadInterval how often the files are looked at
public record TransportSecurity(
        Path certificate, Path key, Path trust, PeerIdentity identity, Duration reloadInterval) {
    public static final String CERTIFICATE = "RDMA_TLS_CERTIFICATE";
    public static final String KEY = "RDMA_TLS_KEY";
    public static final String TRUST = "RDMA_TLS_TRUST";

    private static final Duration DEFAULT_RELOAD_INTERVAL = Duration.ofSeconds(10);

    /// @throws IllegalArgumentException if the interval is not longer than 0
    public TransportSecurity {
        if (!reloadInterval.isPositive()) {
            throw new IllegalArgumentException("reload interval " + reloadInterval + " must be longer than 0");
        }
    }

    /// With [PeerIdentity#workerUri()], and the files looked at every 10 s; new ones count when two looks find the
    /// same.
    /// They are read when a server starts.
    public static TransportSecurity ofFiles(Path certificate, Path key, Path trust) {
        return new TransportSecurity(certificate, key, trust, PeerIdentity.workerUri(), DEFAULT_RELOAD_INTERVAL);
    }

    public TransportSecurity withIdentity(PeerIdentity identity) {
        return new TransportSecurity(certificate, key, trust, identity, reloadInterval);
    }

    public TransportSecurity withReloadInterval(Duration interval) {
        return new TransportSecurity(certificate, key, trust, identity, interval);
    }

    /// Reads `RDMA_TLS_CERTIFICATE`, `RDMA_TLS_KEY` and `RDMA_TLS_TRUST`; empty where none of them is set.
    ///
    /// @throws IllegalArgumentException naming those that are missing where some are set
    public static Optional<TransportSecurity> fromEnvironment() {
        return from(System.getenv());
    }

    /// [#fromEnvironment] with other variables.
    ///
    /// @throws IllegalArgumentException naming those that are missing where some are set
    public static Optional<TransportSecurity> from(Map<String, String> environment) {
        var files = new TreeMap<String, String>();
        var missing = new TreeMap<String, String>();
        for (String name : new String[] {CERTIFICATE, KEY, TRUST}) {
            String value = environment.getOrDefault(name, "").strip();
            (value.isEmpty() ? missing : files).put(name, value);
        }
        if (files.isEmpty()) {
            return Optional.empty();
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(files.keySet() + " is set and " + missing.keySet()
                    + " is not; mutual TLS needs all three, each the name of a PEM file");
        }
        return Optional.of(ofFiles(
                Path.of(required(files, CERTIFICATE)), Path.of(required(files, KEY)), Path.of(required(files, TRUST))));
    }

    private static String required(Map<String, String> files, String name) {
        String file = files.get(name);
        if (file == null) {
            throw new IllegalArgumentException(name + " is not set");
        }
        return file;
    }
}
