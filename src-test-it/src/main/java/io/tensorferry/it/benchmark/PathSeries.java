package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/// What one path gave for one size, round by round. For one thread.
final class PathSeries {
    private static final long LARGEST_WINDOW = 32;
    private static final long SMALLEST_WINDOW = 4;
    private static final long WINDOW_BYTES = 64L << 20;
    private static final int MOST_TENSORS = 200_000;

    private final TransferPath path;
    private final ByteSize size;
    private final int window;
    private final List<Transfer> throughput = new ArrayList<>();
    private final List<Transfer> latency = new ArrayList<>();
    private int throughputCount;
    private int latencyCount;

    PathSeries(TransferPath path, ByteSize size) {
        this.path = path;
        this.size = size;
        this.window = (int) Math.clamp(WINDOW_BYTES / Math.max(1, size.bytes()), SMALLEST_WINDOW, LARGEST_WINDOW);
    }

    /// Runs until the code is compiled and the connection is up, and finds how many tensors fill `seconds`.
    void warmUp(double seconds) throws InterruptedException {
        throughputCount = countThatFills(seconds, window);
        latencyCount = countThatFills(seconds, 1);
    }

    private int countThatFills(double seconds, int concurrent) throws InterruptedException {
        int count = concurrent;
        while (true) {
            Transfer transfer = path.receive(size.bytes(), count, concurrent);
            int fitting = (int) Math.min(MOST_TENSORS, Math.ceil(transfer.tensorsPerSecond() * seconds));
            // A transfer of at least half the time has shown the speed; a shorter one was warm-up only.
            if (fitting <= 2 * count) {
                return Math.max(fitting, concurrent);
            }
            count = Math.min(fitting, 4 * count);
        }
    }

    void round() throws InterruptedException {
        throughput.add(path.receive(size.bytes(), throughputCount, window));
        latency.add(path.receive(size.bytes(), latencyCount, 1));
    }

    TransferPath path() {
        return path;
    }

    ByteSize size() {
        return size;
    }

    int window() {
        return window;
    }

    /// One transfer for each round, with a window of receives under way.
    List<Transfer> throughput() {
        return throughput;
    }

    /// One transfer for each round, with one receive under way.
    List<Transfer> latency() {
        return latency;
    }

    /// The latencies of all rounds, one receive under way.
    double latencyMicros(double percentile) {
        var all = new Histogram(3);
        latency.forEach(transfer -> all.add(transfer.latenciesNs()));
        return all.getValueAtPercentile(percentile) / 1e3;
    }
}
