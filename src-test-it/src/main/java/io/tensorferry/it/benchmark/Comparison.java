package io.tensorferry.it.benchmark;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// One path beside another that moved the same size, as ratios of the first to the second. They are taken round by
/// round, so that what disturbs a whole round cancels out.
///
/// @param path what is compared
/// @param base what it is compared with, of as many rounds
public record Comparison(PathSeries path, PathSeries base) {
    /// Above 1 is better than the base.
    public Spread throughput() {
        return ratio(path.throughput(), base.throughput(), Transfer::bytesPerSecond);
    }

    /// Below 1 is better than the base.
    public Spread latency(double percentile) {
        return ratio(path.latency(), base.latency(), transfer -> transfer.latencyMicros(percentile));
    }

    static Spread ratio(List<Transfer> above, List<Transfer> below, ToDoubleFunction<Transfer> value) {
        return Spread.of(IntStream.range(0, above.size())
                .mapToObj(round -> value.applyAsDouble(above.get(round)) / value.applyAsDouble(below.get(round)))
                .toList());
    }
}
