package io.tensorferry.it.benchmark.growth;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.benchmark.Target;
import io.tensorferry.it.benchmark.chart.Goal;
import io.tensorferry.it.benchmark.chart.Line;
import io.tensorferry.it.benchmark.chart.LinePanel;
import io.tensorferry.it.benchmark.chart.Point;
import io.tensorferry.it.benchmark.chart.SvgChart;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrowthReportTest {
    @ParameterizedTest
    @ValueSource(strings = {Outstanding.NAME, Waiting.NAME})
    void aReceiveWithManyOutstandingIsHeldToOneWithFewRoundByRound(String series) {
        List<Target.Verdict> verdicts = GrowthReport.verdicts(List.of(new GrowthResult(
                series,
                "receives",
                "us",
                List.of(
                        new GrowthResult.Cost(1, List.of(9.0, 9.0, 9.0)),
                        new GrowthResult.Cost(100, List.of(1.0, 2.0, 4.0)),
                        new GrowthResult.Cost(100_000, List.of(1.0, 4.0, 6.0))))));

        assertThat(verdicts)
                .singleElement()
                .hasToString("met    cost of a receive with 100,000 outstanding / with 100, " + series
                        + ": 1.50 (1.00..2.00), at most 1.50");
    }

    @Test
    void whereOneOfTheTwoIsNotMeasuredThereIsNoTarget() {
        assertThat(GrowthReport.verdicts(List.of(of(Outstanding.NAME, 100), of(Waiting.NAME, 100_000))))
                .isEmpty();
        assertThat(GrowthReport.verdicts(List.of(of("step", 100, 100_000)))).isEmpty();
    }

    @Test
    void aSeriesIsDrawnWithItsSpreadAndItsGoal() {
        var result = new GrowthResult(
                Outstanding.NAME,
                "receives outstanding",
                "us for each receive",
                List.of(
                        new GrowthResult.Cost(100, List.of(1.0, 2.0, 4.0)),
                        new GrowthResult.Cost(100_000, List.of(1.0, 4.0, 6.0))));

        assertThat(GrowthReport.chart(List.of(result, of("rest", 1))).panels())
                .singleElement()
                .isInstanceOfSatisfying(LinePanel.class, panel -> {
                    assertThat(panel.lines())
                            .containsExactly(new Line(
                                    "grpc+verbs", List.of(new Point(100, 2, 1, 4), new Point(100_000, 4, 1, 6))));
                    assertThat(panel.goals()).containsExactly(new Goal("at most 1.5 times the cost with 100", 3));
                    assertThat(panel.x().label().apply(100_000)).isEqualTo("100,000");
                });
    }

    @Test
    void sizesAreWrittenInBinaryUnits() {
        var sizes = of("sizes", 0, 64, 4096, 1 << 24);
        var drawn = new GrowthResult("sizes", "bytes of a tensor", sizes.cost(), sizes.costs());

        assertThat(SvgChart.draw(GrowthReport.chart(List.of(drawn))))
                .contains(">0 B<", ">64 B<", ">4 KiB<", ">16 MiB<");
    }

    private static GrowthResult of(String series, long... points) {
        return new GrowthResult(
                series,
                "receives",
                "us",
                LongStream.of(points)
                        .mapToObj(point -> new GrowthResult.Cost(point, List.of(1.0)))
                        .toList());
    }
}
