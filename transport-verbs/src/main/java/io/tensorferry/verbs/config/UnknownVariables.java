package io.tensorferry.verbs.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs a warning for variables that look like settings but are not read, so that a misspelt name is noticed.
final class UnknownVariables {
    // All messages about variables use one logger name.
    private static final Logger LOG = LoggerFactory.getLogger(RdmaConfig.class);

    private static final String PREFIX = "RDMA_";
    // Variables of the server, which are not settings of a device.
    private static final List<String> SERVER =
            List.of("RDMA_TLS_CERTIFICATE", "RDMA_TLS_KEY", "RDMA_TLS_TRUST", "RDMA_ALLOW_INSECURE");
    // A shorter name is contained in too many others.
    private static final int SHORTEST_PART = 3;
    private static final Map<String, String> KNOWN = known();
    private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

    private UnknownVariables() {}

    /// Maps each accepted name to its documented name.
    private static Map<String, String> known() {
        var names = new LinkedHashMap<String, String>();
        for (RdmaSetting setting : RdmaSetting.values()) {
            names.put(setting.variable(), setting.variable());
            String alias = setting.alias();
            if (alias != null) {
                names.put(alias, setting.variable());
            }
        }
        SERVER.forEach(name -> names.put(name, name));
        return names;
    }

    /// Logs one warning for each unknown variable, once per process.
    static void report(Map<String, String> variables) {
        for (String name : new TreeMap<>(variables).keySet()) {
            if (name.startsWith(PREFIX) && !KNOWN.containsKey(name) && REPORTED.add(name)) {
                String nearest = nearest(name);
                LOG.warn(
                        "the environment variable {} is unknown and has no effect; {}",
                        name,
                        nearest == null
                                ? "the variables are " + Set.copyOf(KNOWN.values())
                                : "did you mean " + nearest + "?");
            }
        }
    }

    /// Returns the documented name that is most similar to `unknown`; null if none is similar.
    static @Nullable String nearest(String unknown) {
        String own = unknown.substring(PREFIX.length());
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (Map.Entry<String, String> known : KNOWN.entrySet()) {
            int distance = distance(own, known.getKey().substring(PREFIX.length()));
            if (distance < least) {
                least = distance;
                nearest = known.getValue();
            }
        }
        return least <= (own.length() + 1) / 2 ? nearest : null;
    }

    /// The edit distance of two names; 1 if one contains the other, as in `PORT` and `DEVICE_PORT`.
    private static int distance(String a, String b) {
        int shorter = Math.min(a.length(), b.length());
        if (shorter >= SHORTEST_PART && (a.contains(b) || b.contains(a))) {
            return 1;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
