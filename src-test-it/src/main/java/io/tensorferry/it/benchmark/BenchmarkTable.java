package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The results as people read them: a line for each path and size, then a line for each comparison.
public final class BenchmarkTable {
    private BenchmarkTable() {}

    /// @param setting what was measured, how; becomes the first lines
    public static String of(String setting, List<Turn> turns) {
        var lines = new ArrayList<String>();
        lines.add(setting);
        lines.add(
                "median (min..max) of the rounds; throughput with several under way, latency with one, and latency at a "
                        + "fixed rate");
        lines.add(String.format(
                Locale.ROOT,
                "%-9s %-18s %-19s %9s %28s %12s %10s %10s %7s %10s %10s %10s",
                "size",
                "path",
                "device",
                "in flight",
                "throughput MB/s",
                "per second",
                "p50 us",
                "p99 us",
                "at /s",
                "p50 us",
                "p99 us",
                "p99.9 us"));
        turns.forEach(turn -> turn.series().forEach(series -> lines.add(line(series))));
        List<Comparison> comparisons = Turn.comparisons(turns);
        if (!comparisons.isEmpty()) {
            lines.add("");
            lines.add("ratios, round by round: median (min..max)");
            lines.add(String.format(
                    Locale.ROOT,
                    "%-9s %-32s %22s %22s %22s",
                    "size",
                    "path : path",
                    "throughput",
                    "p50 latency",
                    "p99 latency"));
            comparisons.forEach(comparison -> lines.add(line(comparison)));
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String line(PathSeries series) {
        return String.format(
                Locale.ROOT,
                "%-9s %-18s %-19s %9d %28s %,12.0f %,10.1f %,10.1f%s",
                series.size(),
                series.path().name(),
                series.path().device(),
                series.window(),
                text("%,.1f", series.megabytesPerSecond()),
                series.perSecond().median(),
                series.latencyMicros(50),
                series.latencyMicros(99),
                paced(series));
    }

    private static String paced(PathSeries series) {
        return series.paced().isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        " %,7.0f %,10.1f %,10.1f %,10.1f",
                        series.pacedPerSecond(),
                        series.pacedMicros(50),
                        series.pacedMicros(99),
                        series.pacedMicros(99.9));
    }

    private static String line(Comparison comparison) {
        return String.format(
                Locale.ROOT,
                "%-9s %-32s %22s %22s %22s",
                comparison.path().size(),
                comparison.path().path().name() + " : "
                        + comparison.base().path().name(),
                text("%.2f", comparison.throughput()),
                text("%.2f", comparison.latency(50)),
                text("%.2f", comparison.latency(99)));
    }

    private static String text(String number, Spread spread) {
        return String.format(
                Locale.ROOT,
                number + " (" + number + ".." + number + ")",
                spread.median(),
                spread.minimum(),
                spread.maximum());
    }
}
