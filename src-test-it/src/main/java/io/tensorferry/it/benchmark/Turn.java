package io.tensorferry.it.benchmark;

import java.util.ArrayList;
import java.util.List;

/// Everything that is measured for one size: every path, in alternation. For one thread.
///
/// @param series one for each path
/// @param comparisons of some of them with others
public record Turn(List<PathSeries> series, List<Comparison> comparisons) {
    /// Of every path, the first compared with each other one.
    static Turn firstAgainstOthers(List<PathSeries> series) {
        return new Turn(
                series,
                series.stream()
                        .skip(1)
                        .map(other -> new Comparison(series.getFirst(), other))
                        .toList());
    }

    /// Measures every path once, in this order or backwards.
    ///
    /// @param progress runs after each path
    public void round(boolean backwards, Runnable progress) throws InterruptedException {
        for (PathSeries path : backwards ? series.reversed() : series) {
            path.round();
            progress.run();
        }
    }

    /// The comparisons of several turns.
    static List<Comparison> comparisons(List<Turn> turns) {
        var all = new ArrayList<Comparison>();
        turns.forEach(turn -> all.addAll(turn.comparisons));
        return all;
    }
}
