package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.grpc.ClusterSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.verbs.device.RdmaConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/// The workers of one test, all in this process, on free loopback ports.
final class Workers implements AutoCloseable {
    // Below the ports that Linux gives to outgoing connections (from 32768), so that none of those takes one before its server does.
    private static final int LOWEST_PORT = 15_000;
    private static final int END_OF_PORTS = 32_000;
    private static final InetAddress HOST =
            InetAddress.ofLiteral(System.getProperty("rdma.host", "127.0.0.1"));

    private final ClusterSpec cluster;
    private final String protocol;
    private final List<TransportServer> servers = new ArrayList<>();

    private Workers(String protocol, ClusterSpec cluster) {
        this.protocol = protocol;
        this.cluster = cluster;
    }

    /// @param started how many of the cluster's workers are started, from task 0 on
    static Workers start(String protocol, int count, int started) {
        var workers = new Workers(protocol, ClusterSpec.of(Map.of("worker", freeAddresses(count))));
        try {
            for (int task = 0; task < started; task++) {
                workers.servers.add(workers.builder(task).start());
            }
        } catch (RuntimeException e) {
            workers.close();
            throw e;
        }
        return workers;
    }

    TransportServerBuilder builder(int task) {
        var builder = TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .protocol(protocol)
                .connectTimeout(Duration.ofSeconds(3));
        String device = System.getProperty("rdma.device");
        return device == null
                ? builder
                : builder.rdmaConfig(RdmaConfig.builder().device(device).build());
    }

    private static List<String> freeAddresses(int count) {
        var addresses = new ArrayList<String>();
        while (addresses.size() < count) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, END_OF_PORTS);
            String address = HOST.getHostAddress() + ":" + port;
            if (!addresses.contains(address) && isFree(port)) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, HOST)) {
            return socket.isBound();
        } catch (IOException _) {
            return false;
        }
    }

    TransportServer get(int task) {
        return servers.get(task);
    }

    List<TransportServer> all() {
        return servers;
    }

    /// A key from one worker to another, started or not.
    static RendezvousKey key(int from, int to, String edge) {
        return RendezvousKey.of(device("worker", from), device("worker", to), edge);
    }

    static DeviceName device(String job, int task) {
        return new DeviceName(job, 0, task, "CPU", 0);
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
    }
}
