package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The workers of one test, all in this process, on free loopback ports.
final class Workers implements AutoCloseable {
    private static final Place HERE = Place.of(0);
    // To register a slab takes the longer the larger it is, and each test does so twice.
    private static final MemoryOptions MEMORY =
            new MemoryOptions(8 << 20, MemoryOptions.defaults().maximumBytes());

    private final ClusterSpec cluster;
    private final Protocol protocol;
    private final List<TransportServer> servers = new ArrayList<>();
    private final WorkerAccelerators accelerators;
    private final Map<TransportServer, Accelerator> acceleratorOf = new HashMap<>();

    private Workers(Protocol protocol, ClusterSpec cluster) {
        this.protocol = protocol;
        this.cluster = cluster;
        this.accelerators = protocol.accelerators().open();
    }

    /// @param started how many of the cluster's workers are started, from task 0 on
    static Workers start(Protocol protocol, int count, int started) {
        return start(protocol, count, started, RendezvousLimits.defaults(), WorkerAccelerators.OPTIONS);
    }

    /// @param started how many of the cluster's workers are started, from task 0 on
    /// @param limits what may pile up in each of them
    /// @param options of their accelerators, where they have any
    static Workers start(
            Protocol protocol, int count, int started, RendezvousLimits limits, AcceleratorOptions options) {
        var workers = new Workers(protocol, ClusterSpec.of(Map.of("worker", freeAddresses(count))));
        try {
            for (int task = 0; task < started; task++) {
                workers.startOne(workers.builder(task).limits(limits), options);
            }
        } catch (RuntimeException e) {
            workers.close();
            throw e;
        }
        return workers;
    }

    private void startOne(TransportServerBuilder builder, AcceleratorOptions options) {
        if (protocol.residence() == Residence.HOST) {
            servers.add(builder.start());
            return;
        }
        Accelerator own = accelerators.open();
        TransportServer server =
                builder.accelerators(List.of(own)).acceleratorOptions(options).start();
        servers.add(server);
        acceleratorOf.put(server, own);
    }

    TransportServerBuilder builder(int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .protocol(protocol.server())
                // On a device it is the address of the device, which no other machine reaches.
                .allowInsecure(true)
                .rdmaConfig(protocol.applyTo(HERE.rdmaConfig()))
                // Small tensors go over all lanes too.
                .channelOptions(
                        ChannelOptions.defaults().withLanes(protocol.lanes()).withStripeBytes(4096))
                .memoryOptions(MEMORY)
                .connectTimeout(Duration.ofSeconds(3));
    }

    private static List<String> freeAddresses(int count) {
        return FreePorts.pick(count).stream()
                .map(port -> HERE.host() + ":" + port)
                .toList();
    }

    TransportServer get(int task) {
        return servers.get(task);
    }

    List<TransportServer> all() {
        return servers;
    }

    /// Makes tensors at a worker, where it has those that it sends.
    TensorAllocator allocator(TransportServer server) {
        return protocol.residence().ofSource() ? server.allocator(acceleratorOf.get(server)) : server.allocator();
    }

    /// Which a worker has.
    ///
    /// @throws IllegalStateException if it has none
    Accelerator accelerator(TransportServer server) {
        Accelerator own = acceleratorOf.get(server);
        if (own == null) {
            throw new IllegalStateException(server.workerName() + " has no accelerator");
        }
        return own;
    }

    /// Where a worker has what it receives.
    DeviceName destination(TransportServer server) {
        return protocol.residence().ofDestination()
                ? server.deviceName(acceleratorOf.get(server))
                : server.deviceName(0);
    }

    /// A key from one worker to another, started or not.
    RendezvousKey key(int from, int to, String edge) {
        DeviceName host = device("worker", to);
        // What stays on its worker stays where it is.
        boolean away = from == to
                ? protocol.residence().ofSource()
                : protocol.residence().ofDestination();
        return RendezvousKey.of(
                device("worker", from),
                away ? new DeviceName(host.job(), host.replica(), host.task(), "GPU", 0) : host,
                edge);
    }

    static DeviceName device(String job, int task) {
        return new DeviceName(job, 0, task, "CPU", 0);
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
        accelerators.close();
    }
}
