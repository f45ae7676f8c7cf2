package io.tensorferry.it.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// The results as a picture: throughput beside median latency, over the size, a line for each path.
public final class BenchmarkChart {
    private BenchmarkChart() {}

    /// @return what to tell: where the picture is, or why there is none
    public static String write(Path file, List<Turn> turns) throws IOException {
        return Picture.write(
                file,
                List.of(
                        panel(
                                "throughput",
                                "MB/s",
                                turns,
                                series -> series.megabytesPerSecond().median()),
                        panel("median latency, one under way", "us", turns, series -> series.latencyMicros(50))));
    }

    private static Picture.Panel panel(
            String title, String unit, List<Turn> turns, ToDoubleFunction<PathSeries> value) {
        var paths = new LinkedHashMap<String, Picture.Line>();
        for (Turn turn : turns) {
            for (PathSeries series : turn.series()) {
                Picture.Line line = paths.computeIfAbsent(
                        series.path().name(), name -> new Picture.Line(name, new ArrayList<>(), new ArrayList<>()));
                line.x().add((double) series.size().bytes());
                line.y().add(value.applyAsDouble(series));
            }
        }
        return new Picture.Panel(title, "bytes", unit, List.copyOf(paths.values()));
    }
}
