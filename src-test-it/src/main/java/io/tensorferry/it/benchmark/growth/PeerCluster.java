package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// One consumer in this process and several producers in another one, each a peer with a separate channel. For one
/// thread.
final class PeerCluster implements AutoCloseable {
    static final String CONSUMER = "consumer";
    static final String PRODUCERS = "producer";

    /// The number of receives from each peer before the measurement, so that every slot of a ring has been written
    /// once: the first write costs a page fault.
    static final int WARM_UP = ChannelOptions.defaults().ringSlots();

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long SLAB_BYTES = 4L << 20;

    // With as many servers in one process as there are peers, each can lack a processor for seconds, above all at the
    // start. Neither the device nor the channel may consider a peer dead because of that.
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String TIMEOUT = "RDMA_QP_TIMEOUT";
    private static final String PATIENT_TIMEOUT = "19";

    private final ChildJvm producers;
    private final TransportServer consumer;
    private final List<RendezvousKey> keys;
    private long step;

    private PeerCluster(ChildJvm producers, TransportServer consumer, int peers) {
        this.producers = producers;
        this.consumer = consumer;
        this.keys = IntStream.range(0, peers).mapToObj(PeerCluster::key).toList();
    }

    /// Starts both processes, and returns when every channel is up.
    static PeerCluster start(int peers) throws InterruptedException {
        List<Integer> ports = FreePorts.pick(peers + 1);
        ChildJvm producers = ChildJvm.of(PeersProcess.class)
                .arguments(ports.stream().map(Object::toString).toArray(String[]::new))
                .start();
        try {
            producers.awaitLine(PeersProcess.READY, LIMIT);
            TransportServer consumer = server(ports, CONSUMER, 0);
            try {
                consumer.awaitPeers(LIMIT);
                return new PeerCluster(producers, consumer, peers);
            } catch (RuntimeException | InterruptedException e) {
                consumer.close();
                throw e;
            }
        } catch (RuntimeException | InterruptedException e) {
            producers.close();
            throw e;
        }
    }

    /// @param ports the consumer's port, then one for each producer
    static TransportServer server(List<Integer> ports, String job, int task) {
        var variables = new HashMap<String, String>(System.getenv());
        variables.putIfAbsent(TIMEOUT, PATIENT_TIMEOUT);
        List<String> addresses = ports.stream().map(port -> "localhost:" + port).toList();
        return TransportServer.builder()
                .cluster(ClusterSpec.of(
                        Map.of(CONSUMER, addresses.subList(0, 1), PRODUCERS, addresses.subList(1, addresses.size()))))
                .job(job)
                .task(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.from(variables))
                .channelOptions(patient(ChannelOptions.defaults()))
                .memoryOptions(new MemoryOptions(SLAB_BYTES, Long.MAX_VALUE))
                .start();
    }

    private static ChannelOptions patient(ChannelOptions options) {
        return new ChannelOptions(
                options.lanes(),
                options.ringSlots(),
                options.slotBytes(),
                options.keepaliveInterval(),
                PATIENCE,
                PATIENCE,
                PATIENCE,
                options.spin());
    }

    static RendezvousKey key(int task) {
        return RendezvousKey.of(
                new DeviceName(PRODUCERS, 0, task, "CPU", 0), new DeviceName(CONSUMER, 0, 0, "CPU", 0), "tensor");
    }

    TransportServer consumer() {
        return consumer;
    }

    /// Receives `each` tensors from every peer, one at a time from each.
    ///
    /// @return the elapsed time in nanoseconds
    long receive(int each) throws InterruptedException {
        producers.send("serve " + step + " " + each);
        producers.awaitLine(PeersProcess.DONE, LIMIT);
        Rendezvous rendezvous = consumer.rendezvous(step);
        var gathering = new Gathering(keys.size());
        long start = System.nanoTime();
        for (RendezvousKey key : keys) {
            new Chain(rendezvous, key, PeersProcess.BYTES, each, gathering).askForNext();
        }
        gathering.await();
        long ns = System.nanoTime() - start;
        consumer.closeStep(step);
        step++;
        return ns;
    }

    @Override
    public void close() {
        // End the process first. Otherwise each of its servers would take part in an orderly shutdown.
        producers.close();
        consumer.close();
    }
}
