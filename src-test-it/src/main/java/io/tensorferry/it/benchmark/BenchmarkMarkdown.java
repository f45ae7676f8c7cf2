package io.tensorferry.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/// The results as a page of documentation shows them: a row for each size, a column for each path or comparison.
public final class BenchmarkMarkdown {
    private BenchmarkMarkdown() {}

    /// @param setting how it was measured
    public static void write(Path file, String setting, List<Turn> turns) throws IOException {
        var tables = new ArrayList<String>();
        tables.add(setting);
        tables.add(comparisons("Throughput, ratio", turns, Comparison::throughput));
        tables.add(comparisons("Median latency, ratio", turns, comparison -> comparison.latency(50)));
        tables.add(paths(
                "Throughput, MB/s",
                turns,
                series -> number(series.megabytesPerSecond().median())));
        tables.add(paths(
                "Per second",
                turns,
                series -> String.format(Locale.ROOT, "%,.0f", series.perSecond().median())));
        tables.add(paths("Median latency, us", turns, series -> number(series.latencyMicros(50))));
        Files.writeString(file, String.join("\n\n", tables) + "\n");
    }

    private static String comparisons(String title, List<Turn> turns, Function<Comparison, Spread> value) {
        return pivot(
                title,
                turns,
                Turn::comparisons,
                comparison -> comparison.path().path().name() + " : "
                        + comparison.base().path().name(),
                comparison -> {
                    Spread spread = value.apply(comparison);
                    return String.format(
                            Locale.ROOT, "%.2f (%.2f..%.2f)", spread.median(), spread.minimum(), spread.maximum());
                });
    }

    private static String paths(String title, List<Turn> turns, Function<PathSeries, String> value) {
        return pivot(title, turns, Turn::series, series -> series.path().name(), value);
    }

    private static <T> String pivot(
            String title,
            List<Turn> turns,
            Function<Turn, List<T>> columns,
            Function<T, String> name,
            Function<T, String> value) {
        var lines = new ArrayList<String>();
        List<String> names = columns.apply(turns.getFirst()).stream().map(name).toList();
        lines.add("| " + title + " | " + String.join(" | ", names) + " |");
        lines.add("|---".repeat(names.size() + 1) + "|");
        for (Turn turn : turns) {
            List<String> values = columns.apply(turn).stream().map(value).toList();
            lines.add("| " + turn.series().getFirst().size() + " | " + String.join(" | ", values) + " |");
        }
        return String.join("\n", lines);
    }

    /// With three digits, or all before the point.
    private static String number(double value) {
        int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
