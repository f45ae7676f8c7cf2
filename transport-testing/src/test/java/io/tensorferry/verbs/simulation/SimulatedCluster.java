package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.simulation.SimulatedWorker;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.EndpointExchange;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.link.RdmaAdapterOptions;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvousManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Several workers in one thread under one virtual clock, every delay and fault drawn from one seed.
///
/// Everything that has a thread of its own in production is an event of the fabric here, the exchange too.
final class SimulatedCluster implements AutoCloseable {
    private static final long LONGEST_CALL_NS = 2_000_000;

    /// How the workers of a cluster behave.
    record Options(
            ChannelOptions channel,
            RendezvousOptions rendezvous,
            MemoryOptions memory,
            RdmaConfig config,
            RendezvousLimits limits,
            @Nullable Gpu gpu,
            int piecesAtOnce) {
        /// Two lanes and the smallest ring and queues, so that credits run out.
        static Options defaults() {
            return with(RendezvousOptions.defaults());
        }

        static Options validating() {
            return with(new RendezvousOptions(true, 1000));
        }

        Options withMemory(MemoryOptions changed) {
            return new Options(channel, rendezvous, changed, config, limits, gpu, piecesAtOnce);
        }

        Options withChannel(ChannelOptions changed) {
            return new Options(changed, rendezvous, memory, config, limits, gpu, piecesAtOnce);
        }

        Options withRingContent(int bytes) {
            return withChannel(channel.withPosting(channel.posting().withRingContentBytes(bytes)));
        }

        Options withQueueDepth(int depth) {
            return withConfig(depth, config.rkeyScope());
        }

        Options withRkeyScope(RemoteKeyScope scope) {
            return withConfig(config.queueDepth(), scope);
        }

        Options withPortGrace(int milliseconds) {
            return new Options(
                    channel,
                    rendezvous,
                    memory,
                    RdmaConfig.builder()
                            .queueDepth(config.queueDepth())
                            .rkeyScope(config.rkeyScope())
                            .fallback(config.fallback())
                            .portGraceMillis(milliseconds)
                            .build(),
                    limits,
                    gpu,
                    piecesAtOnce);
        }

        /// Keys of slabs for one half of the seeds, and of requests for the other; one lane, two or four, and contents
        /// of 4 KiB over all of them; a completion for each request, or for few; no contents in the ring, few or many.
        Options variedBy(long seed) {
            int lanes = 1 << seed / 8 % 3;
            int[] carried = {0, 100, 4096};
            var posting = new PostingOptions((int) (seed / 24 % 2), 4096, 16_384, 0, carried[(int) (seed / 48 % 3)]);
            int[] reads = {255, 1, 3};
            return withChannel(channel.withLanes(lanes)
                            .withStripeBytes(4096)
                            .withReadsAtOnce(reads[(int) (seed / 96 % 3)])
                            .withPosting(posting))
                    .withRkeyScope(seed / 4 % 2 == 0 ? RemoteKeyScope.SLAB : RemoteKeyScope.REQUEST);
        }

        private Options withConfig(int depth, RemoteKeyScope scope) {
            return new Options(
                    channel,
                    rendezvous,
                    memory,
                    RdmaConfig.builder()
                            .queueDepth(depth)
                            .rkeyScope(scope)
                            .fallback(config.fallback())
                            .build(),
                    limits,
                    gpu,
                    piecesAtOnce);
        }

        Options withLimits(RendezvousLimits changed) {
            return new Options(channel, rendezvous, memory, config, changed, gpu, piecesAtOnce);
        }

        /// Receives go over the simulated fallback while there is no channel.
        Options withFallback() {
            return new Options(
                    channel, rendezvous, memory, config.withFallback(Fallback.GRPC), limits, gpu, piecesAtOnce);
        }

        /// Each worker has one accelerator.
        Options withGpu(Gpu one) {
            return new Options(channel, rendezvous, memory, config, limits, one, piecesAtOnce);
        }

        /// The workers serve `pieces` pieces of a content at once; 0 disables pieces, as in earlier versions.
        Options withPiecesAtOnce(int pieces) {
            return new Options(channel, rendezvous, memory, config, limits, gpu, pieces);
        }

        Options withLimit(long maximumBytes) {
            return withMemory(new MemoryOptions(memory.slabBytes(), maximumBytes));
        }

        private static Options with(RendezvousOptions rendezvous) {
            return new Options(
                    new ChannelOptions(
                            2,
                            16,
                            4096,
                            Duration.ofMillis(100),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(3),
                            Duration.ZERO),
                    rendezvous,
                    new MemoryOptions(1 << 20, Long.MAX_VALUE),
                    RdmaConfig.builder().queueDepth(32).build(),
                    RendezvousLimits.defaults(),
                    null,
                    RdmaRendezvousManager.PIECES_AT_ONCE);
        }
    }

    /// What the accelerator of each worker is like.
    record Gpu(AcceleratorOptions options, SimulatedAcceleratorOptions device) {
        /// Small pieces and few of them, so that there is waiting.
        static Gpu small() {
            return new Gpu(
                    AcceleratorOptions.defaults()
                            .withPieces(16_384, 4)
                            .withProxyBytes(512 << 10)
                            .withDeviceMemory(new MemoryOptions(1 << 20, Long.MAX_VALUE)),
                    SimulatedAcceleratorOptions.defaults());
        }

        /// The same, whose memory the RDMA device reaches by itself.
        Gpu direct() {
            return new Gpu(options, device.withExport(NicWrites.AFTER_FLUSH));
        }
    }

    private final SimulatedFabric fabric;
    private final Options options;
    private final Random random;
    private final Set<String> names = new LinkedHashSet<>();
    private final Map<String, Worker> workers = new LinkedHashMap<>();
    // Members that a test plays: who answers their calls.
    private final Map<String, EndpointAcceptor> played = new LinkedHashMap<>();
    // Lives that have ended, whose memory a kernel would have taken back.
    private final List<Worker> ended = new ArrayList<>();
    // Until when no call of the exchange goes between two workers.
    private final Map<Set<String>, Long> cutUntilNs = new HashMap<>();
    private double callFailureRate;
    private StatusCode callFailureCode = StatusCode.UNAVAILABLE;
    private long readyDelayNs;
    private boolean fallbackCut;
    private UnaryOperator<Executor> users = UnaryOperator.identity();
    private long longestFallbackNs = LONGEST_CALL_NS;
    // When the event comes that was scheduled last to wake this up for a timer.
    private long wakeAtNs;

    SimulatedCluster(long seed, int size, SimulatedFabric fabric, Options options) {
        this(seed, size, 0, fabric, options);
    }

    /// @param absent members beyond `size` that have no worker here: they never start, or a test plays them
    SimulatedCluster(long seed, int size, int absent, SimulatedFabric fabric, Options options) {
        this.fabric = fabric;
        this.options = options;
        this.random = new Random(seed * 31 + 7);
        for (int i = 0; i < size + absent; i++) {
            names.add(name(i));
        }
        for (int i = 0; i < size; i++) {
            workers.put(name(i), new Worker(name(i), options));
        }
    }

    static String name(int index) {
        return "/job:worker/replica:0/task:" + index;
    }

    /// From now on this share of the calls of the exchange fail.
    void failCalls(double rate) {
        callFailureRate = rate;
    }

    /// From now on calls of the exchange that fail do so with this.
    void failCallsWith(StatusCode code) {
        callFailureCode = code;
    }

    /// From now on callbacks go to what `executor` makes of the one that runs each as an event.
    void giveCallbacksTo(UnaryOperator<Executor> executor) {
        users = executor;
    }

    /// From now on no call of the fallback comes through, or each does again.
    void cutFallback(boolean cut) {
        fallbackCut = cut;
    }

    boolean fallbackIsCut() {
        return fallbackCut;
    }

    /// From now on each way of a call of the fallback takes up to so long.
    void slowFallback(long longestNs) {
        longestFallbackNs = longestNs;
    }

    /// One way of a call of the fallback of `owner`.
    void callLater(Worker owner, Runnable task) {
        owner.node.later(0, longestFallbackNs, task);
    }

    @Nullable
    Worker livingWorker(String name) {
        Worker worker = workers.get(name);
        return worker != null && worker.isAlive() ? worker : null;
    }

    /// From now on `ready` takes this much longer than any other call.
    void delayReady(long nanoseconds) {
        readyDelayNs = nanoseconds;
    }

    /// From now on the calls to `name` go to `acceptor`.
    void play(String name, EndpointAcceptor acceptor) {
        played.put(name, acceptor);
    }

    SimulatedFabric fabric() {
        return fabric;
    }

    Random random() {
        return random;
    }

    List<Worker> living() {
        return workers.values().stream().filter(Worker::isAlive).toList();
    }

    Worker worker(int index) {
        return workers.get(name(index));
    }

    /// Nothing goes between two workers for a time: neither what their devices send nor calls of the exchange.
    void cut(Worker one, Worker other, long nanoseconds) {
        fabric.partition(one.name, other.name, nanoseconds);
        cutUntilNs.merge(Set.of(one.name, other.name), fabric.now() + nanoseconds, Math::max);
    }

    private boolean isCut(String one, String other) {
        return !one.equals(other) && cutUntilNs.getOrDefault(Set.of(one, other), 0L) > fabric.now();
    }

    /// The process is gone: its device falls silent, and nothing of it runs any more.
    void kill(Worker worker) {
        worker.node.kill();
        ended.add(worker);
        for (Worker other : living()) {
            callLater(other, () -> other.fallback.breakCallsTo(worker.name));
        }
    }

    /// The next life of a worker, which ends here if it has not ended: the same name, another incarnation, another
    /// device.
    Worker restart(Worker worker) {
        return restart(worker, options);
    }

    /// The same, with options of its own.
    Worker restart(Worker worker, Options own) {
        if (worker.isAlive()) {
            kill(worker);
        }
        var restarted = new Worker(worker.name, own);
        workers.put(worker.name, restarted);
        return restarted;
    }

    /// Lets everything happen that happens until `deadlineNs` of virtual time, or until `done` says that it is
    /// enough. Returns whether it did.
    boolean run(long deadlineNs, Supplier<Boolean> done) {
        while (!done.get()) {
            turnLoops();
            if (done.get()) {
                return true;
            }
            if (fabric.now() >= deadlineNs) {
                return false;
            }
            advance(deadlineNs);
        }
        return true;
    }

    void runFor(long durationNs) {
        run(fabric.now() + durationNs, () -> false);
    }

    private void turnLoops() {
        boolean worked = true;
        while (worked) {
            worked = false;
            for (Worker worker : workers.values()) {
                worked |= worker.node.turn();
            }
        }
    }

    /// Takes the next event of the fabric, or the next timer of a loop, whichever comes first.
    private void advance(long deadlineNs) {
        long timerNs = deadlineNs - fabric.now();
        for (Worker worker : workers.values()) {
            timerNs = Math.min(timerNs, worker.node.nanosToNextTimer());
        }
        long timerAtNs = fabric.now() + timerNs;
        if (wakeAtNs <= fabric.now() || timerAtNs < wakeAtNs) {
            wakeAtNs = timerAtNs;
            fabric.schedule(timerNs, () -> {});
        }
        fabric.runNext();
    }

    /// The clock stands still in a turn, so what the loop has done is counted instead of its time.
    private void checkTurns(Worker worker) {
        assertThat(worker.node.mostWorkOfATurn())
                .as("the most that one turn of the loop of %s has done", worker.name)
                .isLessThanOrEqualTo(CompletionLoop.mostWorkOfATurn(names.size()));
    }

    @Override
    public void close() {
        living().forEach(this::checkTurns);
        living().forEach(worker -> worker.fallback.close());
        living().forEach(worker -> worker.node.close());
        ended.forEach(worker -> worker.node.close());
        ended.clear();
    }

    /// One process of the cluster.
    final class Worker implements EndpointExchange {
        final String name;
        final RdmaAdapter adapter;
        final RdmaRendezvousManager manager;
        final EdgeManager edges;
        final PartitionManager partitions;
        final Accelerators accelerators;
        /// Null where the cluster has none.
        final @Nullable SimulatedAccelerator gpu;

        private final SimulatedWorker node;
        private final SimulatedFallback fallback = new SimulatedFallback(SimulatedCluster.this, this);

        private Worker(String name, Options options) {
            this.name = name;
            var config = options.config();
            Gpu one = options.gpu();
            this.gpu = one == null
                    ? null
                    : new SimulatedAccelerator(0, AcceleratorTime.of(fabric), random.nextLong(), one.device());
            this.node = new SimulatedWorker(
                    fabric,
                    random,
                    new SimulatedWorker.Setting(
                            new RdmaAdapterOptions(
                                    name,
                                    names,
                                    random.nextLong(),
                                    config,
                                    options.channel(),
                                    options.memory(),
                                    options.piecesAtOnce()),
                            options.rendezvous(),
                            options.limits(),
                            gpu == null ? List.of() : List.of(gpu),
                            one == null ? AcceleratorOptions.defaults() : one.options(),
                            executor -> callback -> users.apply(executor).execute(callback),
                            config.fallback() == Fallback.NONE ? null : fallback),
                    this);
            this.adapter = node.adapter();
            this.accelerators = node.accelerators();
            this.manager = node.manager();
            this.edges = node.edges();
            this.partitions = node.partitions();
        }

        boolean isAlive() {
            return node.isAlive();
        }

        /// Its loop does nothing for so long, as that of a process that is stopped or swapped out.
        void pause(long nanoseconds) {
            node.pause(nanoseconds);
        }

        @Override
        public CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer) {
            return call(peer, 0, target -> target.onOffer(offer));
        }

        @Override
        public CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId) {
            return call(peer, readyDelayNs, target -> target.onReady(self, incarnation, connectionId));
        }

        private <T> CompletableFuture<T> call(
                String peer, long delayNs, Function<EndpointAcceptor, CompletableFuture<T>> remote) {
            var result = new CompletableFuture<T>();
            boolean lost = random.nextDouble() < callFailureRate;
            node.later(delayNs, LONGEST_CALL_NS, () -> {
                EndpointAcceptor target = acceptor(peer);
                if (target == null || lost || isCut(name, peer)) {
                    result.completeExceptionally(new TransportException(
                            lost ? callFailureCode : StatusCode.UNAVAILABLE, "no answer", peer, 0, null));
                    return;
                }
                var _ = remote.apply(target)
                        .whenComplete((value, error) -> node.later(0, LONGEST_CALL_NS, () -> {
                            if (error != null) {
                                result.completeExceptionally(error);
                            } else {
                                result.complete(value);
                            }
                        }));
            });
            return result;
        }

        private @Nullable EndpointAcceptor acceptor(String peer) {
            Worker target = workers.get(peer);
            if (target == null) {
                return played.get(peer);
            }
            return target.isAlive() ? target.adapter.acceptor() : null;
        }
    }

    /// The names of all workers.
    List<String> names() {
        return new ArrayList<>(names);
    }
}
