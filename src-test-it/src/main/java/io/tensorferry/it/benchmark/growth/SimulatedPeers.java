package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.testing.simulation.SimulatedWorker;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.EndpointExchange;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.link.RdmaAdapterOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// One consumer and several peers on a simulated network, all on the calling thread: measures the transport's code
/// without threads, processes and the system. For one thread.
///
/// Virtual time advances in steps in which all messages in flight arrive. In each step every loop runs until it has no
/// more work. The consumer's loop therefore finds work from every peer, as a busy loop does, and runs as often per
/// receive with one peer as with many.
final class SimulatedPeers implements AutoCloseable {
    private static final int BYTES = PeersProcess.BYTES;
    private static final long SEED = 1;

    /// Larger rings use slabs of their own size.
    private static final long SLAB_BYTES = 1L << 20;

    /// Longer than any delay of the network and any task of the workers.
    private static final long STEP_NS = 100_000;

    /// A limit in virtual time.
    private static final long LIMIT_NS = Duration.ofMinutes(2).toNanos();

    private final SimulatedFabric fabric =
            new SimulatedFabric(SEED, SimulatedFabricOptions.defaults().withSpikes(0, 0));
    private final Map<String, SimulatedWorker> workers = new HashMap<>();
    private final SimulatedWorker consumer;
    private final List<SimulatedWorker> producers = new ArrayList<>();
    private final List<RendezvousKey> keys;
    private final List<Tensor> sources = new ArrayList<>();
    private long step;

    /// Creates workers without channels.
    SimulatedPeers(int peers) {
        keys = IntStream.range(0, peers).mapToObj(PeerCluster::key).toList();
        String consumerName = DeviceName.workerName(PeerCluster.CONSUMER, 0, 0);
        List<String> producerNames = IntStream.range(0, peers)
                .mapToObj(task -> DeviceName.workerName(PeerCluster.PRODUCERS, 0, task))
                .toList();
        Set<String> members =
                Stream.concat(Stream.of(consumerName), producerNames.stream()).collect(Collectors.toUnmodifiableSet());
        consumer = worker(consumerName, members);
        for (String name : producerNames) {
            SimulatedWorker producer = worker(name, members);
            producers.add(producer);
            Tensor source = producer.adapter().memory().allocator().allocate(DataType.UINT8, Shape.of(BYTES));
            source.segment().fill((byte) 42);
            sources.add(source);
        }
    }

    private SimulatedWorker worker(String name, Set<String> members) {
        var options = new RdmaAdapterOptions(
                name,
                members,
                fabric.random().nextLong(),
                RdmaConfig.builder().build(),
                ChannelOptions.defaults(),
                new MemoryOptions(SLAB_BYTES, Long.MAX_VALUE));
        var setting = new SimulatedWorker.Setting(
                options,
                RendezvousOptions.defaults(),
                RendezvousLimits.defaults(),
                List.of(),
                AcceleratorOptions.defaults(),
                null,
                null);
        var worker = new SimulatedWorker(fabric, fabric.random(), setting, new Calls());
        workers.put(name, worker);
        return worker;
    }

    /// Exchanges endpoints by method calls.
    private final class Calls implements EndpointExchange {
        @Override
        public CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer) {
            return acceptor(peer).onOffer(offer);
        }

        @Override
        public CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId) {
            return acceptor(peer).onReady(self, incarnation, connectionId);
        }

        private EndpointAcceptor acceptor(String peer) {
            SimulatedWorker worker = workers.get(peer);
            if (worker == null) {
                throw new TransportException(StatusCode.UNAVAILABLE, "there is no " + peer);
            }
            return worker.adapter().acceptor();
        }
    }

    SimulatedWorker consumer() {
        return consumer;
    }

    /// Sets up a channel with every peer.
    void connect() {
        CompletableFuture<?>[] channels = producers.stream()
                .map(producer -> consumer.adapter().connect(producer.name()))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(channels);
        var _ = run(all::isDone);
        all.join();
    }

    /// Receives `each` tensors from every peer, one at a time from each.
    ///
    /// @return the CPU time of the consumer's loop for these receives, including the callbacks, in nanoseconds
    double receive(int each) throws InterruptedException {
        for (int peer = 0; peer < producers.size(); peer++) {
            Rendezvous rendezvous = producers.get(peer).manager().rendezvous(step);
            for (int i = 0; i < each; i++) {
                rendezvous.send(keys.get(peer), sources.get(peer).share());
            }
        }
        Rendezvous rendezvous = consumer.manager().rendezvous(step);
        var gathering = new Gathering(keys.size());
        for (RendezvousKey key : keys) {
            new Chain(rendezvous, key, BYTES, each, gathering).askForNext();
        }
        double ns = run(gathering::isComplete);
        gathering.await();
        for (SimulatedWorker worker : workers.values()) {
            worker.manager().closeStep(step);
        }
        step++;
        return ns;
    }

    /// Advances virtual time until `done`.
    ///
    /// @return the CPU time of the consumer's loop in nanoseconds
    /// @throws IllegalStateException if `done` is not reached within two minutes of virtual time
    private double run(BooleanSupplier done) {
        long deadlineNs = fabric.now() + LIMIT_NS;
        var time = new ThreadTime();
        while (!done.getAsBoolean()) {
            if (fabric.now() > deadlineNs) {
                throw new IllegalStateException("the simulation does not end");
            }
            time.add(() -> turn(consumer));
            producers.forEach(SimulatedPeers::turn);
            fabric.advance(STEP_NS);
        }
        return time.ns();
    }

    private static void turn(SimulatedWorker worker) {
        while (worker.turn()) {
            // There may be more work.
        }
    }

    @Override
    public void close() {
        sources.forEach(Tensor::close);
        workers.values().forEach(SimulatedWorker::close);
    }
}
