package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.Goal;
import io.tensorferry.it.benchmark.chart.Line;
import io.tensorferry.it.benchmark.chart.LinePanel;
import io.tensorferry.it.benchmark.chart.Point;
import io.tensorferry.it.benchmark.chart.RatioPanel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChartTextTest {
    private static final String HEAD = """
            # Title

            // A comment.
            ## Throughput
            x: bytes of a tensor
            y: MB/s
            goal: 90 at least 90 at 64 KiB
            | size | grpc | flight |
            |---|---|---|
            """;

    @Test
    void aTableBecomesLines() {
        Chart chart = ChartText.parse(HEAD + """
                | 8 B | 1.19 (1.01..1.58) | 3 |
                | 64 KiB | 1,236 | |
                """);

        assertThat(chart.title()).isEqualTo("Title");
        assertThat(chart.panels()).singleElement().isInstanceOfSatisfying(LinePanel.class, panel -> {
            assertThat(panel.title()).isEqualTo("Throughput");
            assertThat(panel.x().label().apply(65_536)).isEqualTo("64 KiB");
            assertThat(panel.x().label().apply(1 << 24)).isEqualTo("16 MiB");
            assertThat(panel.y().label().apply(65_536)).isEqualTo("65,536");
            assertThat(panel.lines())
                    .containsExactly(
                            new Line("grpc", List.of(new Point(8, 1.19, 1.01, 1.58), Point.of(65_536, 1_236))),
                            new Line("flight", List.of(Point.of(8, 3))));
            assertThat(panel.goals()).containsExactly(new Goal("at least 90 at 64 KiB", 90));
        });
    }

    @Test
    void aPanelWithoutAxesHasRatios() {
        Chart chart = ChartText.parse("""
                # Title
                ## Goals
                | ratio | figure | goal |
                | throughput / memcpy | 0.85 (0.64..1.11) | at least 0.80 |
                | latency / grpc-java | 0.13 | at most 0.2 |
                """);

        assertThat(chart.panels())
                .containsExactly(new RatioPanel(
                        "Goals",
                        List.of(
                                new RatioPanel.Ratio("throughput / memcpy", 0.85, 0.64, 1.11, true, 0.8),
                                new RatioPanel.Ratio("latency / grpc-java", 0.13, 0.13, 0.13, false, 0.2))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "| 8 B | 1.0 |; line 10: a row of 2 cells below 3 headings",
                "| 8 B | fast | 3 |; line 10: 'fast' is not of the form '1.02 (0.91..1.17)'",
                "| 8 B | 1.0 (1.1..1.2) | 3 |; line 10: median 1.0 is outside of its spread 1.1..1.2",
                "| 8 kB | 1.0 | 3 |; line 10: size '8kB' is not of the form",
                "goal: at least 90; line 10: 'at least 90' is not of the form",
                "z: depth; line 10: 'z: depth' begins with none of"
            })
    void aLineOfAnotherFormIsNamed(String line, String message) {
        assertThatThrownBy(() -> ChartText.parse(HEAD + line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aTextWithoutAPanelIsRefused() {
        assertThatThrownBy(() -> ChartText.parse("# Title"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'## Panel'");
        assertThatThrownBy(() -> ChartText.parse("# Title\nx: bytes"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 2: 'x: bytes' stands before the first panel");
        assertThatThrownBy(() -> ChartText.parse("# Title\n## Panel\nx: bytes"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("panel 'Panel'");
    }
}
