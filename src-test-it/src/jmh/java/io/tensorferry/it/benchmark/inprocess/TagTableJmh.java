package io.tensorferry.it.benchmark.inprocess;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.rendezvous.table.TagTable;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/// A send that meets its receive, whichever comes first, among a number of others that wait.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TagTableJmh {
    private static final DeviceName PRODUCER = new DeviceName("producer", 0, 0, "CPU", 0);
    private static final DeviceName CONSUMER = new DeviceName("consumer", 0, 0, "CPU", 0);

    @Param({"0", "10000"})
    int waiting;

    private final TagTable table = new TagTable();
    private final RecvResult item = new RecvResult.Dead();
    private final RendezvousKey key = RendezvousKey.of(PRODUCER, CONSUMER, "tensor");

    @Setup
    public void fill() {
        for (int i = 0; i < waiting; i++) {
            table.receive(RendezvousKey.of(PRODUCER, CONSUMER, "other/" + i), TagTable.Waiter.of(_ -> {}));
        }
    }

    @Benchmark
    public void sendFirst(Blackhole hole) {
        table.send(key, item);
        table.receive(key, TagTable.Waiter.of(hole::consume));
    }

    @Benchmark
    public void receiveFirst(Blackhole hole) {
        table.receive(key, TagTable.Waiter.of(hole::consume));
        table.send(key, item);
    }
}
