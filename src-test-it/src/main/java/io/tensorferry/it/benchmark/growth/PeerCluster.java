package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.ClusterSpec;
import io.tensorferry.grpc.ServerConfig;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.verbs.memory.MemoryOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// One consumer in this process, and a number of producers in another one, each a peer with a channel of its own. For
/// one thread.
final class PeerCluster implements AutoCloseable {
    static final String PRODUCERS = "producer";

    private static final String CONSUMER = "consumer";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long SLAB_BYTES = 4L << 20;

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

    /// @param ports the consumer's, then one for each producer
    static TransportServer server(List<Integer> ports, String job, int task) {
        List<String> addresses = ports.stream().map(port -> "localhost:" + port).toList();
        return TransportServer.builder()
                .cluster(ClusterSpec.of(
                        Map.of(CONSUMER, addresses.subList(0, 1), PRODUCERS, addresses.subList(1, addresses.size()))))
                .job(job)
                .task(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .memoryOptions(new MemoryOptions(SLAB_BYTES, Long.MAX_VALUE))
                .start();
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
    /// @return how long that took, ns
    long receive(int each) throws InterruptedException {
        producers.send("serve " + step + " " + each);
        producers.awaitLine(PeersProcess.DONE, LIMIT);
        Rendezvous rendezvous = consumer.rendezvous(step);
        var gathering = new Gathering(keys.size());
        long start = System.nanoTime();
        for (RendezvousKey key : keys) {
            new Chain(rendezvous, key, each, gathering).askForNext();
        }
        gathering.await();
        long ns = System.nanoTime() - start;
        consumer.closeStep(step);
        step++;
        return ns;
    }

    /// The receives from one peer, one after the other.
    private static final class Chain {
        private final Rendezvous rendezvous;
        private final RendezvousKey key;
        private final Gathering gathering;
        private int left;

        Chain(Rendezvous rendezvous, RendezvousKey key, int count, Gathering gathering) {
            this.rendezvous = rendezvous;
            this.key = key;
            this.left = count;
            this.gathering = gathering;
        }

        void askForNext() {
            rendezvous.recvAsync(key, this::done);
        }

        private void done(RecvResult result) {
            try (Tensor tensor = result.tensorOrThrow()) {
                if (tensor.byteSize() != PeersProcess.BYTES) {
                    throw new IllegalStateException("a tensor of " + tensor.byteSize() + " bytes came");
                }
            } catch (RuntimeException e) {
                gathering.failed(e);
                return;
            }
            left--;
            if (left == 0) {
                gathering.slotIsFree();
            } else {
                askForNext();
            }
        }
    }

    @Override
    public void close() {
        // First the process, which would else take part in as many goodbyes as it has servers.
        producers.close();
        consumer.close();
    }
}
