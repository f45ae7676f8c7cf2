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

/// Warns of variables that look like settings and that nobody reads: a misspelt name would otherwise do nothing, and
/// say nothing.
final class UnknownVariables {
    // One name for all that is said of variables.
    private static final Logger LOG = LoggerFactory.getLogger(RdmaConfig.class);

    private static final String PREFIX = "RDMA_";
    // Those of the server, which are no settings of a device.
    private static final List<String> SERVER =
            List.of("RDMA_TLS_CERTIFICATE", "RDMA_TLS_KEY", "RDMA_TLS_TRUST", "RDMA_ALLOW_INSECURE");
    // A shorter name is found in too many others.
    private static final int SHORTEST_PART = 3;
    private static final Map<String, String> KNOWN = known();
    private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

    private UnknownVariables() {}

    /// The documented name of each name that is read.
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

    /// One WARN line for each, once in the life of the process.
    static void report(Map<String, String> variables) {
        for (String name : new TreeMap<>(variables).keySet()) {
            if (name.startsWith(PREFIX) && !KNOWN.containsKey(name) && REPORTED.add(name)) {
                String nearest = nearest(name);
                LOG.warn(
                        "the environment variable {} is unknown and has no effect; {}",
                        name,
                        nearest == null
                                ? "there are " + Set.copyOf(KNOWN.values())
                                : "is it meant to be " + nearest + "?");
            }
        }
    }

    /// The documented name that `unknown` is most probably meant to be; null if it is like none.
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

    /// The letters to add, remove or replace; where one name holds all of the other, as `PORT` and `DEVICE_PORT`, no
    /// more
    /// than one.
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
