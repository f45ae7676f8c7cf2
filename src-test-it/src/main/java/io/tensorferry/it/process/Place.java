package io.tensorferry.it.process;

import io.tensorferry.verbs.config.RdmaConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The location of one of several cooperating processes: device, address, processor and network namespace. System
/// properties of the launching process set it. Without them, all processes run unpinned on this host, on the device
/// that `RDMA_*` selects.
///
/// | property | value | example, two hosts |
/// |---|---|---|
/// | `rdma.device` | the device | `rxe1,rxe2` |
/// | `rdma.gid` | the entry of its GID table | `1` |
/// | `rdma.host` | the address at which the process' server listens | `10.97.0.1,10.97.0.2` |
/// | `it.pin` | the processor that the process is pinned to | `0,1` |
/// | `it.netns` | the network namespace of the process; requires root | `host1,host2` |
///
/// Each value is a comma-separated list. Process `n` uses entry `n`, modulo the length of the list. Children inherit
/// the properties for their own children.
///
/// @param number the index of the process, from 0
/// @param device the device's name; null for the choice of `RDMA_DEVICE` or the transport
/// @param gidIndex the entry of the GID table; null for the choice of `RDMA_GID_INDEX` or the transport
/// @param host a name or an IPv4 address
/// @param processor in the form of `taskset -c`; null for the processors of the launching process
/// @param namespace a name for `ip netns`; null for the namespace of the launching process
public record Place(
        int number,
        @Nullable String device,
        @Nullable Integer gidIndex,
        String host,
        @Nullable String processor,
        @Nullable String namespace) {
    private static final String LOCALHOST = "localhost";
    private static final String DEVICE = "rdma.device";
    private static final String GID = "rdma.gid";
    private static final String HOST = "rdma.host";
    private static final String PIN = "it.pin";
    private static final String NAMESPACE = "it.netns";

    /// The place of process `number`, from 0.
    ///
    /// @throws IllegalArgumentException if `rdma.gid` is not a number
    public static Place of(int number) {
        String gid = entry(GID, number);
        String host = entry(HOST, number);
        return new Place(
                number,
                entry(DEVICE, number),
                gid == null ? null : Integer.valueOf(gid),
                host == null ? LOCALHOST : host,
                entry(PIN, number),
                entry(NAMESPACE, number));
    }

    private static @Nullable String entry(String property, int number) {
        String list = System.getProperty(property);
        if (list == null || list.isBlank()) {
            return null;
        }
        List<String> entries = List.of(list.split(","));
        return entries.get(number % entries.size()).strip();
    }

    /// The transport's settings at this place, for a server in this process. The `RDMA_*` variables supply the values
    /// that no property sets.
    ///
    /// @throws IllegalArgumentException if a variable is out of its range
    public RdmaConfig rdmaConfig() {
        var variables = new TreeMap<>(System.getenv());
        variables.putAll(environment());
        return RdmaConfig.from(variables);
    }

    /// The environment variables that configure a child's transport.
    Map<String, String> environment() {
        var variables = new TreeMap<String, String>();
        if (device != null) {
            variables.put("RDMA_DEVICE", device);
        }
        if (gidIndex != null) {
            variables.put("RDMA_GID_INDEX", gidIndex.toString());
        }
        if (!host.equals(LOCALHOST)) {
            // The network is private to the test, or the user chose the address.
            variables.put("RDMA_ALLOW_INSECURE", "true");
        }
        return variables;
    }

    /// The command prefix that makes a command run at this place.
    public List<String> prefix() {
        var words = new ArrayList<String>();
        if (namespace != null) {
            words.addAll(List.of("ip", "netns", "exec", namespace));
        }
        if (processor != null) {
            words.addAll(List.of("taskset", "-c", processor));
        }
        return words;
    }

    /// The properties above that are set, as JVM arguments.
    static List<String> jvmArguments() {
        var arguments = new ArrayList<String>();
        for (String property : List.of(DEVICE, GID, HOST, PIN, NAMESPACE)) {
            String value = System.getProperty(property);
            if (value != null) {
                arguments.add("-D" + property + "=" + value);
            }
        }
        return arguments;
    }
}
