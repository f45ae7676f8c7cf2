package io.tensorferry.it.benchmark.inprocess;

import io.tensorferry.it.benchmark.Spread;
import io.tensorferry.it.benchmark.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Warm receives by callback between two servers of one process, on the software device.
///
/// JMH's profiler counts what all threads allocate, callers and callbacks among them. What the completion loops
/// allocate for a transfer is told apart from it at the end of each iteration, and held to its target at the end.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"})
@Warmup(iterations = 5, time = 3)
@Measurement(iterations = 5, time = 3)
public class TransferJmh {
    static final int TRANSFERS = 10_000;

    private static final Target LOOP = Target.atMost(0, "bytes allocated on the heap by the loops, for a warm transfer");
    private static final int WARM_UP = 5;

    @Param({"1", "32"})
    int window;

    @Param("4096")
    long bytes;

    private BothEnds ends;
    private final ThreadAllocation loops = new ThreadAllocation(ThreadAllocation.LOOPS);
    private final ThreadAllocation device = new ThreadAllocation(ThreadAllocation.DEVICE);
    private final List<Double> loopBytes = new ArrayList<>();
    private long transfers;
    private int iteration;

    @Setup
    public void open() throws InterruptedException {
        ends = BothEnds.open();
        ends.receive(bytes, TRANSFERS, window);
    }

    @Setup(Level.Iteration)
    public void reset() {
        transfers = 0;
        loops.reset();
        device.reset();
    }

    @Benchmark
    @OperationsPerInvocation(TRANSFERS)
    public void receive() throws InterruptedException {
        ends.receive(bytes, TRANSFERS, window);
        transfers += TRANSFERS;
    }

    @TearDown(Level.Iteration)
    public void tell() {
        double each = (double) loops.bytes() / transfers;
        System.out.printf(
                "[%d loops: %.3f B, %d I/O threads: %.3f B for each transfer] ",
                loops.count(), each, device.count(), (double) device.bytes() / transfers);
        iteration++;
        if (iteration > WARM_UP) {
            loopBytes.add(each);
        }
    }

    @TearDown
    public void close() {
        System.out.println();
        System.out.println(LOOP.verdict(bytes + " B, " + window + " outstanding", Spread.of(loopBytes)));
        ends.close();
    }
}
