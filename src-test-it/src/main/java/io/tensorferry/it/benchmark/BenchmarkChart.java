package io.tensorferry.it.benchmark;

import java.awt.AWTError;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/// The results as a picture: throughput beside median latency, over the size, a line for each path.
public final class BenchmarkChart {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 560;

    private BenchmarkChart() {}

    /// @return what to tell: where the picture is, or why there is none
    public static String write(Path file, List<Turn> turns) throws IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            List<XYChart> charts = List.of(
                    chart(
                            "throughput",
                            "MB/s",
                            turns,
                            series -> series.megabytesPerSecond().median()),
                    chart("median latency, one under way", "us", turns, series -> series.latencyMicros(50)));
            BitmapEncoder.saveBitmap(charts, 1, charts.size(), file.toString(), BitmapEncoder.BitmapFormat.PNG);
            return "as a picture: " + file;
        } catch (AWTError | ExceptionInInitializerError | NoClassDefFoundError | UnsatisfiedLinkError e) {
            // Without the system's fonts the JDK cannot write a letter.
            return "no picture, this machine cannot draw: " + e;
        }
    }

    private static XYChart chart(String title, String unit, List<Turn> turns, ToDoubleFunction<PathSeries> value) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("bytes")
                .yAxisTitle(unit)
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        for (Map.Entry<String, List<PathSeries>> path : byPath(turns).entrySet()) {
            List<PathSeries> series = path.getValue();
            chart.addSeries(
                    path.getKey(),
                    series.stream()
                            .mapToDouble(each -> Math.max(1, each.size().bytes()))
                            .toArray(),
                    series.stream().mapToDouble(value).toArray());
        }
        return chart;
    }

    private static Map<String, List<PathSeries>> byPath(List<Turn> turns) {
        var paths = new LinkedHashMap<String, List<PathSeries>>();
        for (Turn turn : turns) {
            for (PathSeries series : turn.series()) {
                paths.computeIfAbsent(series.path().name(), _ -> new ArrayList<>())
                        .add(series);
            }
        }
        return paths;
    }
}
