package io.tensorferry.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Writes the results for a page of documentation: a row for each size, a column for each path or comparison.
public final class BenchmarkMarkdown {
    private BenchmarkMarkdown() {}

    /// @param setting a description of the measurement
    public static void write(Path file, String setting, List<Turn> turns, List<Target.Verdict> verdicts)
            throws IOException {
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
        tables.add(paths(
                "Median / p99 / p99.9 latency at a fixed rate, us",
                turns,
                series -> series.paced().isEmpty()
                        ? ""
                        : number(series.pacedMicros(50)) + " / " + number(series.pacedMicros(99)) + " / "
                                + number(series.pacedMicros(99.9))));
        if (!verdicts.isEmpty()) {
            tables.add(targets(verdicts));
        }
        Files.writeString(file, String.join("\n\n", tables) + "\n");
    }

    /// A row for each target.
    public static String targets(List<Target.Verdict> verdicts) {
        var lines = new ArrayList<String>();
        lines.add("| Target | at | figure | is to be | |");
        lines.add("|---|---|---|---|---|");
        for (Target.Verdict each : verdicts) {
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.2f (%.2f..%.2f) | %s %.2f | %s |",
                    each.target().what(),
                    each.at(),
                    each.figure().median(),
                    each.figure().minimum(),
                    each.figure().maximum(),
                    each.target().atLeast() ? "at least" : "at most",
                    each.target().limit(),
                    each.isMet() ? "met" : String.format(Locale.ROOT, "missed by %.0f %%", 100 * each.missedBy())));
        }
        return String.join("\n", lines);
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
        List<String> names = turns.stream()
                .flatMap(turn -> columns.apply(turn).stream())
                .map(name)
                .distinct()
                .toList();
        lines.add("| " + title + " | " + String.join(" | ", names) + " |");
        lines.add("|---".repeat(names.size() + 1) + "|");
        for (Turn turn : turns) {
            Map<String, String> values =
                    columns.apply(turn).stream().collect(Collectors.toMap(name, value, (one, _) -> one));
            lines.add("| " + turn.series().getFirst().size() + " | "
                    + names.stream()
                            .map(column -> values.getOrDefault(column, ""))
                            .collect(Collectors.joining(" | ")) + " |");
        }
        return String.join("\n", lines);
    }

    /// Formats with three significant digits, or with all digits of the integer part.
    private static String number(double value) {
        int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
