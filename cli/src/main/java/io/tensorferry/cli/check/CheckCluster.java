package io.tensorferry.cli.check;

import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/// The cluster of one server and its callers, as configured at each of them.
///
/// The server never dials: it uses callers' names only, and their configured addresses lead nowhere. Therefore callers
/// need no reachable address, and the server need not know them in advance.
final class CheckCluster {
    static final String SERVER = "serve";
    static final String CALLER = "check";

    /// A power of two. Two callers with the same number cannot be served at the same time: the server takes the later
    /// one for a restart of the earlier one.
    static final int CALLERS = 1024;

    private CheckCluster() {}

    static ClusterSpec ofServer(WorkerAddress server) {
        var callers = new HashMap<Integer, String>();
        for (int task = 0; task < CALLERS; task++) {
            callers.put(task, "caller-" + task + ".invalid:1");
        }
        return ClusterSpec.ofTasks(Map.of(SERVER, Map.of(0, server.toString()), CALLER, callers));
    }

    /// @param task this caller's number
    /// @param own the address on which this caller's server listens
    static ClusterSpec ofCaller(WorkerAddress server, int task, WorkerAddress own) {
        return ClusterSpec.ofTasks(Map.of(SERVER, Map.of(0, server.toString()), CALLER, Map.of(task, own.toString())));
    }

    /// The number of a caller: the last 10 bits of its address, so that hosts of one subnet differ.
    static int taskOf(InetAddress caller) {
        byte[] bytes = caller.getAddress();
        int last = ((bytes[bytes.length - 2] & 0xFF) << 8) | (bytes[bytes.length - 1] & 0xFF);
        return last & (CALLERS - 1);
    }
}
