package io.tensorferry.it.benchmark.inprocess;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.process.FreePorts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/// A static edge between two servers of one process, on the software device: what it costs to ask whether a tensor is
/// there, of one edge and of one after the other of many; and a tensor from its sending to its release.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class EdgeJmh {
    private static final int EDGES = 10_000;
    private static final Shape SHAPE = Shape.of(4096);

    private TransportServer producer;
    private TransportServer consumer;
    private StaticSender sender;
    private StaticReceiver receiver;
    private Tensor tensor;
    private StaticReceiver[] many;

    @Setup
    public void open() {
        List<Integer> ports = FreePorts.pick(2);
        var cluster = ClusterSpec.of(Map.of(
                "producer", List.of("localhost:" + ports.get(0)), "consumer", List.of("localhost:" + ports.get(1))));
        producer = start(cluster, "producer");
        consumer = start(cluster, "consumer");
        sender = producer.openSender(edge("tensor"));
        receiver = consumer.openReceiver(edge("tensor"));
        sender.opened().join();
        tensor = producer.allocator().allocate(DataType.UINT8, SHAPE);
        many = new StaticReceiver[EDGES];
        for (int i = 0; i < EDGES; i++) {
            many[i] = consumer.openReceiver(edge("waiting/" + i));
        }
    }

    private static TransportServer start(ClusterSpec cluster, String job) {
        return TransportServer.builder().cluster(cluster).job(job).task(0).start();
    }

    private StaticEdge edge(String name) {
        var key = RendezvousKey.of(producer.deviceName(0), consumer.deviceName(0), name);
        return StaticEdge.of(key, DataType.UINT8, SHAPE);
    }

    @Benchmark
    public boolean poll() {
        return receiver.poll();
    }

    /// One round of a scheduler that has 10,000 receives waiting.
    @Benchmark
    public void pollTenThousand(Blackhole hole) {
        for (StaticReceiver waiting : many) {
            hole.consume(waiting.poll());
        }
    }

    @Benchmark
    public Tensor sendAndTake() {
        sender.send(tensor.share());
        while (!receiver.poll()) {
            Thread.onSpinWait();
        }
        Tensor taken = receiver.take();
        receiver.release();
        return taken;
    }

    @TearDown
    public void close() {
        tensor.close();
        producer.close();
        consumer.close();
    }
}
