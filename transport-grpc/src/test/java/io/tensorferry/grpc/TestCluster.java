package io.tensorferry.grpc;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Workers of one job in this process, over gRPC, on free loopback ports.
final class TestCluster implements AutoCloseable {
    final ClusterSpec spec;
    private final List<TransportServer> servers = new ArrayList<>();

    TestCluster(int workers) {
        spec = ClusterSpec.of(Map.of("worker", FreePorts.addresses(workers)));
    }

    static TestCluster started(int workers) {
        var cluster = new TestCluster(workers);
        for (int task = 0; task < workers; task++) {
            cluster.start(task);
        }
        return cluster;
    }

    TransportServerBuilder builder(int task) {
        return TransportServer.builder().cluster(spec).job("worker").task(task).protocol(ServerConfig.GRPC);
    }

    TransportServer start(int task) {
        return add(builder(task).start());
    }

    TransportServer add(TransportServer server) {
        servers.add(server);
        return server;
    }

    TransportServer server(int task) {
        String name = "/job:worker/replica:0/task:" + task;
        return servers.stream()
                .filter(server -> server.workerName().equals(name))
                .reduce((_, last) -> last)
                .orElseThrow();
    }

    static RendezvousKey key(TransportServer from, TransportServer to, String edge) {
        return RendezvousKey.of(from.deviceName(0), to.deviceName(0), edge);
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
    }
}
