package io.tensorferry.cli.check;

import java.util.Arrays;

/// How long receives of tensors of one size took, from the request to the content. The tensors were there before they
/// were asked for.
///
/// @param firstNs the receive before the timed ones, which found everything cold, in nanoseconds
/// @param bestNs the shortest, in nanoseconds
/// @param medianNs half took no longer, in nanoseconds
/// @param p99Ns 99 % took no longer, in nanoseconds
record Timing(long bytes, int rounds, long firstNs, long bestNs, long medianNs, long p99Ns) {
    /// @param roundsNs of each timed receive, in nanoseconds; at least one
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

    /// Bytes of content in a second of the median.
    double bytesPerSecond() {
        return medianNs == 0 ? 0 : bytes * 1e9 / medianNs;
    }
}
