package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The charts of the documentation show the figures of its tables.
class DocumentedChartsTest {
    private static final Path DOCS =
            Path.of(System.getProperty("basedir", ".")).resolve("../docs").normalize();
    private static final Pattern CELL = Pattern.compile("(?<=\\|) ([\\d.,]+(?: \\([\\d.,]+\\))?) (?=\\|)");

    @Test
    void everyChartIsDrawnFromItsFigures() throws IOException {
        List<Path> texts = DrawCharts.figures(DOCS.resolve("images"));

        assertThat(texts).isNotEmpty();
        for (Path figures : texts) {
            assertThat(DrawCharts.chartOf(figures))
                    .as("run mvn -q -Pcharts verify after a change of " + figures)
                    .hasContent(DrawCharts.draw(figures));
        }
    }

    @Test
    void everyFigureIsInATable() throws IOException {
        String page = Files.readString(DOCS.resolve("performance.md"));
        var missing = new TreeSet<String>();
        for (Path figures : DrawCharts.figures(DOCS.resolve("images"))) {
            List<String> cells = CELL.matcher(Files.readString(figures))
                    .results()
                    .map(MatchResult::group)
                    .map(String::strip)
                    .toList();
            assertThat(cells).as("figures of " + figures).isNotEmpty();
            for (String cell : cells) {
                if (!Pattern.compile("(?<![\\d.,])" + Pattern.quote(cell) + "(?![\\d])")
                        .matcher(page)
                        .find()) {
                    missing.add(figures.getFileName() + ": " + cell);
                }
            }
        }
        assertThat(missing).isEmpty();
    }
}
