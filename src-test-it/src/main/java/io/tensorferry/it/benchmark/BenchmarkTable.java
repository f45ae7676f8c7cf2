package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Formats the results for people: a line for each path and size, then a line for each comparison.
public final class BenchmarkTable {
    private static final int LEAST_PATH = 18;
    private static final int LEAST_DEVICE = 19;
    private static final int LEAST_PATHS = 32;

    private BenchmarkTable() {}

    /// @param setting a description of the measurement; becomes the first lines
    public static String of(String setting, List<Turn> turns) {
        var lines = new ArrayList<String>();
        lines.add(setting);
        List<PathSeries> all =
                turns.stream().flatMap(turn -> turn.series().stream()).toList();
        int width = widest(all.stream().map(series -> series.path().name()), LEAST_PATH);
        int device = widest(all.stream().map(series -> series.path().device()), LEAST_DEVICE);
        lines.add(
                "median (min..max) of the rounds; throughput with several under way, latency with one, and latency at a "
                        + "fixed rate");
        lines.add(String.format(
                Locale.ROOT,
                "%-9s %s %s %9s %28s %12s %10s %10s %7s %10s %10s %10s",
                "size",
                wide("path", width),
                wide("device", device),
                "in flight",
                "throughput MB/s",
                "per second",
                "p50 us",
                "p99 us",
                "at /s",
                "p50 us",
                "p99 us",
                "p99.9 us"));
        all.forEach(series -> lines.add(line(series, width, device)));
        List<Comparison> comparisons = Turn.comparisons(turns);
        if (!comparisons.isEmpty()) {
            int both = widest(comparisons.stream().map(BenchmarkTable::names), LEAST_PATHS);
            lines.add("");
            lines.add("ratios, round by round: median (min..max)");
            lines.add(String.format(
                    Locale.ROOT,
                    "%-9s %s %22s %22s %22s",
                    "size",
                    wide("path : path", both),
                    "throughput",
                    "p50 latency",
                    "p99 latency"));
            comparisons.forEach(comparison -> lines.add(line(comparison, both)));
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static int widest(Stream<String> texts, int least) {
        return Math.max(least, texts.mapToInt(String::length).max().orElse(0));
    }

    private static String wide(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    private static String names(Comparison comparison) {
        return comparison.path().path().name() + " : "
                + comparison.base().path().name();
    }

    private static String line(PathSeries series, int width, int device) {
        return String.format(
                Locale.ROOT,
                "%-9s %s %s %9d %28s %,12.0f %,10.1f %,10.1f%s",
                series.size(),
                wide(series.path().name(), width),
                wide(series.path().device(), device),
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

    private static String line(Comparison comparison, int width) {
        return String.format(
                Locale.ROOT,
                "%-9s %s %22s %22s %22s",
                comparison.path().size(),
                wide(names(comparison), width),
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
