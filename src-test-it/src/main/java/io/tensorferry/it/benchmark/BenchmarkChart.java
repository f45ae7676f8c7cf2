package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.Line;
import io.tensorferry.it.benchmark.chart.LinePanel;
import io.tensorferry.it.benchmark.chart.Panel;
import io.tensorferry.it.benchmark.chart.Point;
import io.tensorferry.it.benchmark.chart.RatioPanel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;

/// Draws the results as a chart: throughput and median latency over the size, a line for each path, and the ratios that
/// have a target.
final class BenchmarkChart {
    private static final int MEDIAN = 50;

    private BenchmarkChart() {}

    static Chart of(List<Turn> turns, List<Target.Verdict> verdicts) {
        var panels = new ArrayList<Panel>();
        panels.add(panel("Throughput", "MB/s, several tensors outstanding", turns, PathSeries::megabytesPerSecond));
        panels.add(panel("Latency", "us, median, one tensor outstanding", turns, BenchmarkChart::latency));
        if (!verdicts.isEmpty()) {
            panels.add(new RatioPanel(
                    "Ratios that have a goal",
                    verdicts.stream().map(BenchmarkChart::ratio).toList()));
        }
        return new Chart("Throughput and latency by tensor size", panels);
    }

    /// The median over all rounds' latencies, with the extremes of the rounds' medians.
    private static Spread latency(PathSeries series) {
        double all = series.latencyMicros(MEDIAN);
        Spread rounds = Spread.of(series.latency().stream()
                .map(round -> round.latencyMicros(MEDIAN))
                .toList());
        return new Spread(all, Math.min(all, rounds.minimum()), Math.max(all, rounds.maximum()));
    }

    private static Panel panel(String title, String unit, List<Turn> turns, Function<PathSeries, Spread> value) {
        var paths = new LinkedHashMap<String, List<Point>>();
        for (Turn turn : turns) {
            ByteSize size = turn.series().getFirst().size();
            for (PathSeries series : turn.series()) {
                // A series of another size than its turn's is only the base of a ratio, so it has no line.
                if (series.size().equals(size)) {
                    Spread spread = value.apply(series);
                    paths.computeIfAbsent(series.path().name(), _ -> new ArrayList<>())
                            .add(new Point(size.bytes(), spread.median(), spread.minimum(), spread.maximum()));
                }
            }
        }
        List<Line> lines = paths.entrySet().stream()
                .map(path -> new Line(path.getKey(), path.getValue()))
                .toList();
        return new LinePanel(title, Axes.of("bytes of a tensor"), Axes.of(unit), lines, List.of());
    }

    private static RatioPanel.Ratio ratio(Target.Verdict verdict) {
        return new RatioPanel.Ratio(
                verdict.target().what() + ", " + verdict.at(),
                verdict.figure().median(),
                verdict.figure().minimum(),
                verdict.figure().maximum(),
                verdict.target().atLeast(),
                verdict.target().limit());
    }
}
