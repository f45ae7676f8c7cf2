package io.tensorferry.it.process;

import io.tensorferry.verbs.config.RdmaConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Where one of several processes runs that belong together: on which device, at which address, on which processor,
/// in which network namespace. System properties of the process that starts them say it; without any, all run here,
/// as they are, on the device that `RDMA_*` names.
///
/// | property | is | example, two hosts |
/// |---|---|---|
/// | `rdma.device` | the device | `rxe1,rxe2` |
/// | `rdma.gid` | the entry of its GID table | `1` |
/// | `rdma.host` | the address at which the process' server listens | `10.97.0.1,10.97.0.2` |
/// | `it.pin` | the processor that it is pinned to | `0,1` |
/// | `it.netns` | the network namespace that it is put into, which takes root | `host1,host2` |
///
/// Each is a list separated by commas, of which process `n` takes entry `n`, and from the beginning again behind its
/// end. Children get the properties too, so that their children find them.
///
/// @param number which of the processes it is, from 0
/// @param device the device's name; null for what `RDMA_DEVICE` or the transport chooses
/// @param gidIndex the entry of the GID table; null for what `RDMA_GID_INDEX` or the transport chooses
/// @param host a name or an IPv4 address
/// @param processor as `taskset -c` takes it; null for those of the process that starts it
/// @param namespace as `ip netns` names it; null for that of the process that starts it
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

    /// The transport's settings for this place, for a server in this process; what no property says is as the `RDMA_*`
    /// variables have it.
    ///
    /// @throws IllegalArgumentException if a variable is out of its range
    public RdmaConfig rdmaConfig() {
        var variables = new TreeMap<>(System.getenv());
        variables.putAll(environment());
        return RdmaConfig.from(variables);
    }

    /// The variables by which a child learns what its transport is to use.
    Map<String, String> environment() {
        var variables = new TreeMap<String, String>();
        if (device != null) {
            variables.put("RDMA_DEVICE", device);
        }
        if (gidIndex != null) {
            variables.put("RDMA_GID_INDEX", gidIndex.toString());
        }
        if (!host.equals(LOCALHOST)) {
            // The network is the test's own, or that of who named the address.
            variables.put("RDMA_ALLOW_INSECURE", "true");
        }
        return variables;
    }

    /// What comes before a command, so that it runs here.
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

    /// The properties above that are set, as arguments of a virtual machine.
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
