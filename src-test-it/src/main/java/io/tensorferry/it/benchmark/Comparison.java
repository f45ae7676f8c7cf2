package io.tensorferry.it.benchmark;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// The ratios of one path to another that moved the same size. Ratios are computed per round, so that a disturbance of
/// a whole round cancels out.
///
/// @param path the numerator
/// @param base the denominator, with as many rounds
public record Comparison(PathSeries path, PathSeries base) {
    /// Values above 1 are better than the base.
    public Spread throughput() {
        return ratio(path.throughput(), base.throughput(), Transfer::bytesPerSecond);
    }

    /// Values below 1 are better than the base.
    public Spread latency(double percentile) {
        return ratio(path.latency(), base.latency(), transfer -> transfer.latencyMicros(percentile));
    }

    static Spread ratio(List<Transfer> above, List<Transfer> below, ToDoubleFunction<Transfer> value) {
        return Spread.of(IntStream.range(0, above.size())
                .mapToObj(round -> value.applyAsDouble(above.get(round)) / value.applyAsDouble(below.get(round)))
                .toList());
    }
}
