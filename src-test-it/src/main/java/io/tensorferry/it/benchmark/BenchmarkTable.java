package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// The results as people read them: a line for each path and size, and a line for each comparison.
final class BenchmarkTable {
    private BenchmarkTable() {}

    static String heading(int rounds, double seconds) {
        return String.format(
                Locale.ROOT,
                """
                recvAsync between two processes on this machine; %d rounds of %.1f s, median (min..max) of the rounds; latency with one receive under way, throughput with several
                %-9s %-11s %-12s %9s %28s %12s %10s %10s""",
                rounds,
                seconds,
                "size",
                "path",
                "device",
                "in flight",
                "throughput MB/s",
                "tensors/s",
                "p50 us",
                "p99 us");
    }

    /// @param turn every path for one size
    static String of(List<PathSeries> turn) {
        var lines = new ArrayList<String>();
        turn.forEach(series -> lines.add(line(series)));
        turn.stream().skip(1).forEach(other -> lines.add(comparison(turn.getFirst(), other)));
        return String.join(System.lineSeparator(), lines);
    }

    private static String line(PathSeries series) {
        Spread megabytes = spread(series.throughput(), transfer -> transfer.bytesPerSecond() / 1e6);
        return String.format(
                Locale.ROOT,
                "%-9s %-11s %-12s %9d %28s %,12.0f %,10.1f %,10.1f",
                series.size(),
                series.path().name(),
                series.path().device(),
                series.window(),
                String.format(
                        Locale.ROOT,
                        "%,.1f (%,.1f..%,.1f)",
                        megabytes.median(),
                        megabytes.minimum(),
                        megabytes.maximum()),
                spread(series.throughput(), Transfer::tensorsPerSecond).median(),
                series.latencyMicros(50),
                series.latencyMicros(99));
    }

    private static String comparison(PathSeries one, PathSeries other) {
        Spread throughput = ratio(one.throughput(), other.throughput(), Transfer::bytesPerSecond);
        Spread p50 = ratio(other.latency(), one.latency(), transfer -> transfer.latencyMicros(50));
        Spread p99 = ratio(other.latency(), one.latency(), transfer -> transfer.latencyMicros(99));
        return String.format(
                Locale.ROOT,
                "%-9s %s against %s: throughput x %s, p50 latency / %s, p99 latency / %s",
                "",
                one.path().name(),
                other.path().name(),
                text(throughput),
                text(p50),
                text(p99));
    }

    private static String text(Spread spread) {
        return String.format(Locale.ROOT, "%.2f (%.2f..%.2f)", spread.median(), spread.minimum(), spread.maximum());
    }

    private static Spread spread(List<Transfer> transfers, ToDoubleFunction<Transfer> value) {
        return Spread.of(transfers.stream().map(value::applyAsDouble).toList());
    }

    /// Round by round, so that what disturbs a whole round cancels out.
    static Spread ratio(List<Transfer> above, List<Transfer> below, ToDoubleFunction<Transfer> value) {
        return Spread.of(IntStream.range(0, above.size())
                .mapToObj(round -> value.applyAsDouble(above.get(round)) / value.applyAsDouble(below.get(round)))
                .toList());
    }
}
