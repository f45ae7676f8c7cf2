package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.SvgChart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Draws the charts of the documentation: from each `NAME.txt` of a folder, in the form of [ChartText], the file
/// `NAME.svg` beside it.
public final class DrawCharts {
    private static final String FIGURES = ".txt";

    private DrawCharts() {}

    /// @param arguments the folder
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("expected one folder, not " + List.of(arguments));
        }
        for (Path figures : figures(Path.of(arguments[0]))) {
            Path chart = chartOf(figures);
            Files.writeString(chart, draw(figures));
            System.out.println(chart);
        }
    }

    /// The texts of the charts of a folder, by name.
    static List<Path> figures(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(FIGURES))
                    .sorted()
                    .toList();
        }
    }

    static Path chartOf(Path figures) {
        return figures.resolveSibling(figures.getFileName().toString().replace(FIGURES, ".svg"));
    }

    static String draw(Path figures) throws IOException {
        try {
            return SvgChart.draw(ChartText.parse(Files.readString(figures)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(figures + ", " + e.getMessage(), e);
        }
    }
}
