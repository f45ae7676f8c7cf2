package io.tensorferry.cli.check;

import java.util.Arrays;

/// The durations of receives of tensors of one size, from the request to the content. The tensors were sent before they
/// were requested.
///
/// @param firstNs the first receive, with cold caches, which is not among the timed ones, in nanoseconds
/// @param bestNs the shortest, in nanoseconds
/// @param medianNs the median, in nanoseconds
/// @param p99Ns the 99th percentile, in nanoseconds
record Timing(long bytes, int rounds, long firstNs, long bestNs, long medianNs, long p99Ns) {
    /// @param roundsNs the duration of each timed receive, in nanoseconds; at least one
    static Timing of(long bytes, long firstNs, long[] roundsNs) {
        long[] sorted = roundsNs.clone();
        Arrays.sort(sorted);
        int last = sorted.length - 1;
        return new Timing(
                bytes,
                sorted.length,
                firstNs,
                sorted[0],
                sorted[last / 2],
                sorted[(int) Math.ceil(0.99 * sorted.length) - 1]);
    }

    /// Throughput in bytes per second at the median duration.
    double bytesPerSecond() {
        return medianNs == 0 ? 0 : bytes * 1e9 / medianNs;
    }
}
