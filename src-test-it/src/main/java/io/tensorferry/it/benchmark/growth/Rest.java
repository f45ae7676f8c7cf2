package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import java.util.List;

/// The CPU time of a process whose channel is idle.
///
/// Measures the producer's process, in which only the transport runs.
final class Rest implements GrowthSeries {
    private static final double NS_PER_SECOND = 1e9;

    private final RendezvousPair pair;
    private final double seconds;

    /// @param pair remains owned by the caller
    Rest(RendezvousPair pair, double seconds) {
        this.pair = pair;
        this.seconds = seconds;
    }

    @Override
    public String name() {
        return "rest";
    }

    @Override
    public String what() {
        return "idle channels";
    }

    @Override
    public String cost() {
        return "ms of the processor's time in a second, of the producer's process";
    }

    @Override
    public List<Long> points() {
        return List.of(1L);
    }

    @Override
    public double measure(long point) throws InterruptedException {
        long startNs = System.nanoTime();
        long before = pair.producerCpuNs();
        Thread.sleep((long) (seconds * 1000));
        long used = pair.producerCpuNs() - before;
        double elapsed = (System.nanoTime() - startNs) / NS_PER_SECOND;
        return used / 1e6 / elapsed;
    }
}
