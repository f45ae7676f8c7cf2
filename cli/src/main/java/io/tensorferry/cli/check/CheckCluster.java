package io.tensorferry.cli.check;

import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/// The cluster of one server and its callers, as each of them is given it.
///
/// The server never dials: to it a caller is a name, and the addresses of callers lead nowhere. So callers need no
/// address that it can reach, and it need not know them in advance.
final class CheckCluster {
    static final String SERVER = "serve";
    static final String CALLER = "check";

    /// A power of two. Two callers of one number cannot be served at the same time: the later is taken for the
    /// earlier one, restarted.
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
    /// @param own where this caller's server listens
    static ClusterSpec ofCaller(WorkerAddress server, int task, WorkerAddress own) {
        return ClusterSpec.ofTasks(Map.of(SERVER, Map.of(0, server.toString()), CALLER, Map.of(task, own.toString())));
    }

    /// The number of a caller: the last 10 bits of its address, so that the hosts of one subnet differ.
    static int taskOf(InetAddress caller) {
        byte[] bytes = caller.getAddress();
        int last = ((bytes[bytes.length - 2] & 0xFF) << 8) | (bytes[bytes.length - 1] & 0xFF);
        return last & (CALLERS - 1);
    }
}
