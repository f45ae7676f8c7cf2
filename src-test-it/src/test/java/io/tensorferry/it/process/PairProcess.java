package io.tensorferry.it.process;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Two workers in one process that exchange the tensors of a plan and then stay until they are told to end. It needs
/// nothing but what a server needs, and these tests' own classes.
final class PairProcess {
    private PairProcess() {}

    /// @param arguments the addresses of both workers, and the plan
    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        Launcher launcher = Launcher.connect();
        ClusterSpec cluster = ClusterSpec.of(Map.of("node", List.of(arguments[0], arguments[1])));
        TrafficPlan plan = TrafficPlan.parse(arguments[2]);
        try (TransportServer first = start(cluster, 0);
                TransportServer second = start(cluster, 1)) {
            exchange(plan, List.of(first, second)).forEach(report -> launcher.tell("EXCHANGED " + report));
            launcher.awaitCommand("end");
        }
        System.exit(0);
    }

    private static TransportServer start(ClusterSpec cluster, int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("node")
                .task(task)
                // The network between the nodes is the test's own.
                .allowInsecure(true)
                .protocol(ServerConfig.GRPC_VERBS)
                .start();
    }

    private static List<Exchange> exchange(TrafficPlan plan, List<TransportServer> servers)
            throws InterruptedException, ExecutionException {
        var ends = new ArrayList<Callable<Exchange>>();
        for (int node = 0; node < servers.size(); node++) {
            var exchange = new Exchange(servers.get(node), node, plan);
            ends.add(() -> {
                exchange.run();
                return exchange;
            });
        }
        var done = new ArrayList<Exchange>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Exchange> end : executor.invokeAll(ends)) {
                done.add(end.get());
            }
        }
        return done;
    }
}
