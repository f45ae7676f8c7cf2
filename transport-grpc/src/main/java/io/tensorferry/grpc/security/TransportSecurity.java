package io.tensorferry.grpc.security;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The mutual TLS configuration of a server: three PEM files, and the mapping of certificates to workers. Immutable.
///
/// Both ends of every connection present their certificate and verify the other's. The server reads the files again
/// every `reloadInterval`. New connections use the new content; open connections continue. Invalid files have no effect
/// except one WARN line in the log.
///
/// @param certificate this worker's certificate, followed by the intermediate authorities up to a trusted one
/// @param key the private key of the certificate: PKCS#8, not encrypted; RSA, EC or EdDSA
/// @param trust the certificates of the authorities that issue the certificates of the cluster's workers, and of no
///     others
/// @param identity maps certificates to workers
/// @param reloadInterval the interval between two reads of the files
public record TransportSecurity(
        Path certificate, Path key, Path trust, PeerIdentity identity, Duration reloadInterval) {
    /// The environment variable with the path of the certificate file.
    public static final String CERTIFICATE = "RDMA_TLS_CERTIFICATE";
    /// The environment variable with the path of the private key file.
    public static final String KEY = "RDMA_TLS_KEY";
    /// The environment variable with the path of the trust file.
    public static final String TRUST = "RDMA_TLS_TRUST";

    private static final Duration DEFAULT_RELOAD_INTERVAL = Duration.ofSeconds(10);

    /// @throws IllegalArgumentException if the reload interval is not positive
    public TransportSecurity {
        if (!reloadInterval.isPositive()) {
            throw new IllegalArgumentException("reload interval " + reloadInterval + " must be longer than 0");
        }
    }

    /// Creates a configuration with [PeerIdentity#workerUri()] and a reload interval of 10 s.
    ///
    /// The files are first read when a server starts. Changed files take effect when two consecutive reads find the
    /// same content.
    public static TransportSecurity ofFiles(Path certificate, Path key, Path trust) {
        return new TransportSecurity(certificate, key, trust, PeerIdentity.workerUri(), DEFAULT_RELOAD_INTERVAL);
    }

    /// Returns a copy with another mapping of certificates to workers.
    public TransportSecurity withIdentity(PeerIdentity identity) {
        return new TransportSecurity(certificate, key, trust, identity, reloadInterval);
    }

    /// Returns a copy with another reload interval.
    ///
    /// @throws IllegalArgumentException if `interval` is not positive
    public TransportSecurity withReloadInterval(Duration interval) {
        return new TransportSecurity(certificate, key, trust, identity, interval);
    }

    /// Reads `RDMA_TLS_CERTIFICATE`, `RDMA_TLS_KEY` and `RDMA_TLS_TRUST`; empty if none of them is set.
    ///
    /// @throws IllegalArgumentException if only some of them are set; the message names the others
    public static Optional<TransportSecurity> fromEnvironment() {
        return from(System.getenv());
    }

    /// Reads the variables of [#fromEnvironment] from `environment`; empty if none of them is set.
    ///
    /// @throws IllegalArgumentException if only some of them are set; the message names the others
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
