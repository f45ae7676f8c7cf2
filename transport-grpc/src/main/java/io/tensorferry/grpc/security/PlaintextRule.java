package io.tensorferry.grpc.security;

import io.tensorferry.grpc.cluster.ServerConfig;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Restricts plaintext connections to this machine unless the configuration allows more.
public final class PlaintextRule {
    /// The environment variable that allows plaintext beyond this machine if set to `true`.
    public static final String ALLOW_INSECURE = "RDMA_ALLOW_INSECURE";

    private static final int MOST_NAMED = 4;

    private PlaintextRule() {}

    /// Lists the plaintext connections beyond this machine that a server without TLS would make or accept; empty if
    /// none.
    ///
    /// Resolves no name: only loopback addresses, `localhost` and `.invalid` names count as local.
    public static List<String> waysOut(ServerConfig config, InetAddress listening) {
        var ways = new ArrayList<String>();
        if (!listening.isLoopbackAddress()) {
            ways.add("listens on " + listening.getHostAddress());
        }
        config.cluster().addresses().forEach((worker, address) -> {
            if (!worker.equals(config.workerName()) && !address.staysHere()) {
                ways.add("dials " + worker + " at " + address);
            }
        });
        return ways.size() <= MOST_NAMED
                ? ways
                : List.of(ways.get(0), ways.get(1), ways.get(2), (ways.size() - MOST_NAMED + 1) + " more");
    }

    /// Whether the environment allows plaintext beyond this machine.
    ///
    /// @throws IllegalArgumentException if the variable is neither `true` nor `false`
    public static boolean allowedBy(Map<String, String> environment) {
        String value = environment.getOrDefault(ALLOW_INSECURE, "").strip();
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false", "" -> false;
            default ->
                throw new IllegalArgumentException(
                        ALLOW_INSECURE + " is '" + value + "'; accepted: true, false (the default)");
        };
    }

    /// Refuses to start the server if it would use plaintext beyond this machine.
    ///
    /// @throws PlaintextRefusedException if `waysOut` is not empty
    public static void refuse(ServerConfig config, List<String> waysOut) {
        if (!waysOut.isEmpty()) {
            throw new PlaintextRefusedException(config.workerName(), waysOut);
        }
    }
}
