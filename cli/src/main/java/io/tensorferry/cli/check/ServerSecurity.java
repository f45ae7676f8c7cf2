package io.tensorferry.cli.check;

import io.tensorferry.grpc.TransportSecurity;
import io.tensorferry.grpc.TransportServerBuilder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The options of both ends of a check that say whether it is encrypted, and who may take part.
final class ServerSecurity {
    private static final String ALLOW_INSECURE = "RDMA_ALLOW_INSECURE";

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "PEM: this end's certificate and those between it and a trusted one; by default"
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

    /// Sets `builder` up as the options and variables say. With TLS every certificate of a trusted authority may take
    /// part: a check is no worker of a cluster, and so no certificate names it.
    ///
    /// @throws ParameterException if only some of the files are named: that is wrong usage
    TransportServerBuilder apply(TransportServerBuilder builder, Map<String, String> environment, CommandSpec spec) {
        var files = new HashMap<>(environment);
        put(files, "RDMA_TLS_CERTIFICATE", certificate);
        put(files, "RDMA_TLS_KEY", key);
        put(files, "RDMA_TLS_TRUST", trust);
        try {
            TransportSecurity.from(files)
                    .ifPresent(security -> builder.security(security.withIdentity((_, _) -> true)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (allowInsecure
                || environment.getOrDefault(ALLOW_INSECURE, "").strip().equalsIgnoreCase("true")) {
            builder.allowInsecure(true);
        }
        return builder;
    }

    private static void put(Map<String, String> files, String variable, @Nullable Path file) {
        if (file != null) {
            files.put(variable, file.toString());
        }
    }
}
