package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/// The measurements of one path for one size, round by round. For one thread.
public final class PathSeries {
    private static final int FEWEST = 8;
    private static final int MOST = 200_000;
    private static final int COMPILED_BYTES = 8;
    private static final int COMPILED_COUNT = 500;

    private final TransferPath path;
    private final ByteSize size;
    private final List<Transfer> throughput = new ArrayList<>();
    private final List<Transfer> latency = new ArrayList<>();
    private final List<Transfer> paced = new ArrayList<>();
    private final double pacedPerSecond;
    private int throughputCount;
    private int latencyCount;

    /// Creates a series without latencies at a fixed rate.
    public PathSeries(TransferPath path, ByteSize size) {
        this(path, size, 0);
    }

    /// @param pacedPerSecond the fixed rate at which latency is measured additionally; 0 for none
    public PathSeries(TransferPath path, ByteSize size, double pacedPerSecond) {
        this.path = path;
        this.size = size;
        this.pacedPerSecond = pacedPerSecond;
    }

    /// Runs until the code is compiled and the connection is up, and determines the number of transfers that fill
    /// `seconds`.
    public void warmUp(double seconds) throws InterruptedException {
        throughputCount = countThatFills(seconds, Math.max(FEWEST, window()), path::throughput);
        latencyCount = countThatFills(seconds, FEWEST, path::latency);
    }

    /// Runs short transfers for at least `seconds` in each mode of measuring, until the optimising compiler has
    /// compiled all code. Once per path suffices.
    public static void compile(TransferPath path, double seconds) throws InterruptedException {
        repeat(seconds, path::throughput);
        repeat(seconds, path::latency);
    }

    private static void repeat(double seconds, Measurement measurement) throws InterruptedException {
        long deadlineNs = System.nanoTime() + (long) (seconds * 1e9);
        do {
            measurement.take(COMPILED_BYTES, COMPILED_COUNT);
        } while (System.nanoTime() < deadlineNs);
    }

    /// Copies the transfer counts of another series, instead of a warm-up.
    public void countAs(PathSeries other) {
        throughputCount = other.throughputCount;
        latencyCount = other.latencyCount;
    }

    private int countThatFills(double seconds, int fewest, Measurement measurement) throws InterruptedException {
        int count = fewest;
        while (true) {
            Transfer transfer = measurement.take(size.bytes(), count);
            int fitting = (int) Math.min(MOST, Math.ceil(transfer.perSecond() * seconds));
            // A transfer of at least half the time gives a valid speed; a shorter one was warm-up only.
            if (fitting <= 2 * count) {
                return Math.max(fitting, fewest);
            }
            count = Math.min(fitting, 4 * count);
        }
    }

    void measureThroughput() throws InterruptedException {
        throughput.add(path.throughput(size.bytes(), throughputCount));
    }

    void measureLatency() throws InterruptedException {
        latency.add(path.latency(size.bytes(), latencyCount));
    }

    void measurePaced(double seconds) throws InterruptedException {
        int count = (int) Math.max(FEWEST, pacedPerSecond * seconds);
        paced.add(path.paced(size.bytes(), count, pacedPerSecond));
    }

    /// The fixed rate; 0 for none.
    double pacedPerSecond() {
        return pacedPerSecond;
    }

    /// One transfer per round at the fixed rate; empty without a fixed rate.
    List<Transfer> paced() {
        return paced;
    }

    public TransferPath path() {
        return path;
    }

    public ByteSize size() {
        return size;
    }

    int window() {
        return path.window(size.bytes());
    }

    /// One transfer per round, with several messages in flight.
    List<Transfer> throughput() {
        return throughput;
    }

    /// One transfer per round, with one message in flight.
    public List<Transfer> latency() {
        return latency;
    }

    /// In units of 10^6 bytes per second.
    Spread megabytesPerSecond() {
        return Spread.of(throughput.stream()
                .map(transfer -> transfer.bytesPerSecond() / 1e6)
                .toList());
    }

    Spread perSecond() {
        return Spread.of(throughput.stream().map(Transfer::perSecond).toList());
    }

    /// A percentile of the latencies of all rounds, with one message in flight.
    double latencyMicros(double percentile) {
        return micros(latency, percentile);
    }

    /// A percentile of the latencies of all rounds at the fixed rate.
    double pacedMicros(double percentile) {
        return micros(paced, percentile);
    }

    private static double micros(List<Transfer> transfers, double percentile) {
        var all = new Histogram(3);
        transfers.forEach(transfer -> all.add(transfer.latenciesNs()));
        return all.getValueAtPercentile(percentile) / 1e3;
    }

    @FunctionalInterface
    private interface Measurement {
        Transfer take(long bytes, int count) throws InterruptedException;
    }
}
