package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.benchmark.contest.Usage;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.samples.scheduler.ReadyQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The cost of polling receives while they wait in a scheduler's queue, each for a tensor of a separate static edge.
/// Both workers run in this process.
final class WaitingEdges implements GrowthSeries {
    private static final int BYTES = 64;
    private static final int PORTS = 2;
    private static final long LIMIT_SECONDS = 60;
    private static final double NS_PER_SECOND = 1e9;
    private static final long PERIOD_NS = 1_000_000;

    /// The measured cost.
    enum Cost {
        REST("edges-rest", "ms of the processor's time in a second, of both workers and the scheduler, at rest"),
        ONE_CARRIES(
                "edges-one-carries",
                "ms of the processor's time in a second, while one edge carries 1,000 tensors in that time"),
        HEAP("edges-heap", "bytes of heap for each, both ends and the operator that waits");

        private final String series;
        private final String text;

        Cost(String series, String text) {
            this.series = series;
            this.text = text;
        }
    }

    private final Cost cost;
    private final long most;
    private final double seconds;

    /// @param seconds the duration of the measurement of CPU time
    WaitingEdges(Cost cost, long most, double seconds) {
        this.cost = cost;
        this.most = most;
        this.seconds = seconds;
    }

    @Override
    public String name() {
        return cost.series;
    }

    @Override
    public String what() {
        return "polling receives that wait";
    }

    @Override
    public String cost() {
        return cost.text;
    }

    @Override
    public List<Long> points() {
        return switch (cost) {
            case REST, ONE_CARRIES -> Points.powersOfTen(most);
            case HEAP -> List.of(most);
        };
    }

    @Override
    public double measure(long point) throws InterruptedException {
        List<Integer> ports = FreePorts.pick(PORTS);
        ClusterSpec cluster = ClusterSpec.of(Map.of(
                PeerCluster.PRODUCERS, List.of("localhost:" + ports.getFirst()),
                PeerCluster.CONSUMER, List.of("localhost:" + ports.getLast())));
        try (TransportServer producer = start(cluster, PeerCluster.PRODUCERS);
                TransportServer consumer = start(cluster, PeerCluster.CONSUMER)) {
            long before = cost == Cost.HEAP ? Usage.now().heapBytes() : 0;
            try (var edges = new Edges(producer, consumer, (int) point)) {
                return switch (cost) {
                    case REST -> cpuMsPerSecond(() -> LockSupport.parkNanos(PERIOD_NS * 100));
                    case ONE_CARRIES -> cpuMsPerSecond(edges::carryOne);
                    case HEAP -> (double) (Usage.now().heapBytes() - before) / point;
                };
            }
        }
    }

    private static TransportServer start(ClusterSpec cluster, String job) {
        return TransportServer.builder().cluster(cluster).job(job).task(0).start();
    }

    private double cpuMsPerSecond(Runnable step) {
        // Let the work that the opening left behind finish.
        LockSupport.parkNanos(PERIOD_NS * 100);
        long startNs = System.nanoTime();
        long before = Usage.cpuNs();
        while (System.nanoTime() - startNs < seconds * NS_PER_SECOND) {
            step.run();
        }
        long used = Usage.cpuNs() - before;
        return used / 1e6 / ((System.nanoTime() - startNs) / NS_PER_SECOND);
    }

    /// A number of edges in the queue of one scheduler.
    private static final class Edges implements AutoCloseable {
        private final TransportServer producer;
        private final List<StaticSender> senders = new ArrayList<>();
        private final List<StaticReceiver> receivers = new ArrayList<>();
        private final ReadyQueue queue = new ReadyQueue("operators");

        Edges(TransportServer producer, TransportServer consumer, int count) {
            this.producer = producer;
            for (int i = 0; i < count; i++) {
                StaticEdge edge = edge(i);
                receivers.add(consumer.openReceiver(edge));
                senders.add(producer.openSender(edge));
            }
            var opened = new ArrayList<CompletableFuture<Void>>();
            receivers.forEach(receiver -> opened.add(receiver.opened()));
            senders.forEach(sender -> opened.add(sender.opened()));
            CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new))
                    .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                    .join();
            receivers.forEach(receiver -> {
                receiver.onReady(queue::wake);
                await(receiver);
            });
        }

        private static StaticEdge edge(int number) {
            var key = RendezvousKey.of(
                    new DeviceName(PeerCluster.PRODUCERS, 0, 0, "CPU", 0),
                    new DeviceName(PeerCluster.CONSUMER, 0, 0, "CPU", 0),
                    "edge" + number);
            return StaticEdge.of(key, DataType.UINT8, Shape.of(BYTES));
        }

        /// Adds an operator that takes a tensor and then waits for the next.
        private void await(StaticReceiver receiver) {
            queue.whenReady(receiver, () -> {
                var _ = receiver.take();
                receiver.release();
                await(receiver);
            });
        }

        /// Sends one tensor over one of the edges, then pauses.
        void carryOne() {
            senders.getFirst().send(producer.allocator().allocate(DataType.UINT8, Shape.of(BYTES)));
            LockSupport.parkNanos(PERIOD_NS);
        }

        @Override
        public void close() {
            queue.close();
            senders.forEach(StaticSender::close);
            receivers.forEach(StaticReceiver::close);
        }
    }
}
