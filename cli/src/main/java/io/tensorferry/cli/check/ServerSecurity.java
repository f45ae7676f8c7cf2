package io.tensorferry.cli.check;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.security.PlaintextRefusedException;
import io.tensorferry.grpc.security.TransportSecurity;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The options of both ends of a check for encryption and authentication.
final class ServerSecurity {
    private static final String ALLOW_INSECURE = "RDMA_ALLOW_INSECURE";
    private static final String CERTIFICATE = "RDMA_TLS_CERTIFICATE";
    private static final String KEY = "RDMA_TLS_KEY";
    private static final String TRUST = "RDMA_TLS_TRUST";
    private static final SortedMap<String, String> OPTIONS =
            new TreeMap<>(Map.of(CERTIFICATE, "--tls-certificate", KEY, "--tls-key", TRUST, "--tls-trust"));

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "PEM: this end's certificate and its intermediate certificates; by default"
                    + " RDMA_TLS_CERTIFICATE")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM: its private key; by default RDMA_TLS_KEY")
    private @Nullable Path key;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "PEM: the authorities whose certificates the other end may show; by default RDMA_TLS_TRUST")
    private @Nullable Path trust;

    @Option(
            names = "--allow-insecure",
            description = "without TLS, speak plaintext beyond this machine too; by default RDMA_ALLOW_INSECURE")
    private boolean allowInsecure;

    /// Configures `builder` from the options and variables. With TLS, every certificate of a trusted authority is
    /// accepted: a check does not belong to a configured cluster, so no certificate names it.
    ///
    /// @throws ParameterException if only some of the files are named, which is a usage error
    TransportServerBuilder apply(TransportServerBuilder builder, Map<String, String> environment, CommandSpec spec) {
        var files = new HashMap<>(environment);
        put(files, CERTIFICATE, certificate);
        put(files, KEY, key);
        put(files, TRUST, trust);
        try {
            TransportSecurity.from(files)
                    .ifPresent(security -> builder.security(security.withIdentity((_, _) -> true)));
        } catch (IllegalArgumentException e) {
            String missing = Stream.of(CERTIFICATE, KEY, TRUST)
                    .filter(variable -> files.getOrDefault(variable, "").isBlank())
                    .map(variable -> OPTIONS.get(variable) + " (" + variable + ")")
                    .collect(Collectors.joining(", "));
            throw new ParameterException(
                    spec.commandLine(),
                    "mutual TLS needs the three files of " + String.join(", ", OPTIONS.values()) + "; missing: "
                            + missing,
                    e);
        }
        if (allowInsecure
                || environment.getOrDefault(ALLOW_INSECURE, "").strip().equalsIgnoreCase("true")) {
            builder.allowInsecure(true);
        }
        return builder;
    }

    /// Starts the server of one end.
    ///
    /// @throws IllegalArgumentException if plaintext beyond this machine was not allowed; the message names the options
    ///     of this command
    TransportServer start(TransportServerBuilder builder) {
        try {
            return builder.start();
        } catch (PlaintextRefusedException e) {
            throw new IllegalArgumentException(
                    "this end would speak plaintext beyond this machine (" + String.join(", ", e.waysOut()) + "); give "
                            + String.join(", ", OPTIONS.values())
                            + ", or, inside a network that you trust, --allow-insecure",
                    e);
        }
    }

    /// The options with which the other end must be started, for example ` --allow-insecure`; empty if none.
    String forTheOtherEnd() {
        if (certificate != null) {
            return " "
                    + OPTIONS.values().stream().map(option -> option + "=FILE").collect(Collectors.joining(" "));
        }
        return allowInsecure ? " --allow-insecure" : "";
    }

    private static void put(Map<String, String> files, String variable, @Nullable Path file) {
        if (file != null) {
            files.put(variable, file.toString());
        }
    }
}
