package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// All measurements of one size: every path, in alternation. For one thread.
///
/// @param series one for each path
/// @param comparisons of some paths with others
public record Turn(List<PathSeries> series, List<Comparison> comparisons) {
    /// The number of measurements of each path in a round, without a fixed rate.
    public static final int MEASUREMENTS = 2;

    /// Compares the first path with each other one.
    ///
    /// @param more further comparisons: the name of a path, and the names of its bases; absent paths are skipped
    public static Turn firstAgainstOthers(List<PathSeries> series, Map<String, List<String>> more) {
        var comparisons = new ArrayList<Comparison>();
        series.stream().skip(1).forEach(other -> comparisons.add(new Comparison(series.getFirst(), other)));
        for (PathSeries each : series.subList(1, series.size())) {
            List<String> bases = more.getOrDefault(each.path().name(), List.of());
            series.stream()
                    .filter(other -> bases.contains(other.path().name()))
                    .forEach(other -> comparisons.add(new Comparison(each, other)));
        }
        return new Turn(series, comparisons);
    }

    /// Measures every path once, in this order or backwards: the throughput of all, then the latency of all, then the
    /// latency at the fixed rate where there is one.
    ///
    /// @param seconds the duration of a measurement at a fixed rate
    /// @param progress runs after each measurement
    public void round(boolean backwards, double seconds, Runnable progress) throws InterruptedException {
        List<PathSeries> order = backwards ? series.reversed() : series;
        for (PathSeries path : order) {
            path.measureThroughput();
            progress.run();
        }
        for (PathSeries path : order) {
            path.measureLatency();
            progress.run();
        }
        for (PathSeries path : order) {
            if (path.pacedPerSecond() > 0) {
                path.measurePaced(seconds);
                progress.run();
            }
        }
    }

    /// The comparisons of several turns.
    public static List<Comparison> comparisons(List<Turn> turns) {
        var all = new ArrayList<Comparison>();
        turns.forEach(turn -> all.addAll(turn.comparisons));
        return all;
    }
}
