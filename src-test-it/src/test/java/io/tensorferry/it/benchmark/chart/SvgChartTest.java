package io.tensorferry.it.benchmark.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class SvgChartTest {
    private static final Axis BYTES = Axis.binary("bytes of a tensor", value -> (long) value / 1024 + " KiB");
    private static final Axis MICROS = Axis.decimal("us, median");
    private static final double WIDTH = 830;
    // Of a letter, on average, in the widest of the usual fonts.
    private static final double LETTER = 7;
    private static final double BOLD_LETTER = 9;

    @Test
    void placesAreLabelledAsTheAxisWritesThem() throws Exception {
        List<String> texts = texts(draw(panel(
                BYTES, new Line("grpc", List.of(Point.of(4096, 2), Point.of(65_536, 30), Point.of(1 << 24, 60_000))))));

        assertThat(texts).contains("4 KiB", "64 KiB", "16384 KiB", "bytes of a tensor");
        assertThat(texts).contains("10", "100", "1,000", "10,000");
        assertThat(texts).noneMatch(text -> text.matches(".*\\dE\\d.*"));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.0004, 1, 6.1, 30, 8_883_536})
    void theAxisOfASingleValueHasNumbers(double value) throws Exception {
        List<Element> labels =
                elements(draw(panel(BYTES, new Line("grpc", List.of(Point.of(4096, value))))), "text").stream()
                        .filter(text -> text.getAttribute("class").equals("n e"))
                        .toList();

        assertThat(labels).hasSizeGreaterThan(1);
        assertThat(labels).extracting(label -> label.getAttribute("y")).doesNotHaveDuplicates();
        assertThat(labels).extracting(Element::getTextContent).doesNotHaveDuplicates();
    }

    @Test
    void aSpreadIsABarFromTheLeastToTheMost() throws Exception {
        String without = draw(panel(BYTES, new Line("grpc", List.of(Point.of(4096, 2), Point.of(8192, 5)))));
        String with = draw(panel(BYTES, new Line("grpc", List.of(new Point(4096, 2, 1, 5), Point.of(8192, 5)))));

        assertThat(bars(without)).isEmpty();
        assertThat(texts(without)).noneMatch(text -> text.startsWith("Points are medians."));
        assertThat(bars(with)).singleElement().satisfies(bar -> {
            double[] ends = numbers(bar.getAttribute("d"));
            // From 1 to 5, the first and the last tick.
            assertThat(ends[1] - ends[3]).isEqualTo(170);
        });
        assertThat(texts(with)).anyMatch(text -> text.startsWith("Points are medians."));
        assertThat(with).contains("<title>grpc, 4 KiB: 2 us (1..5)</title>");
    }

    @Test
    void barsOfSeveralPathsStandBesideEachOther() throws Exception {
        var points = List.of(new Point(4096, 2, 1, 5));

        assertThat(bars(draw(panel(BYTES, new Line("grpc", points), new Line("flight", points)))))
                .extracting(bar -> numbers(bar.getAttribute("d"))[0])
                .doesNotHaveDuplicates();
    }

    @Test
    void barsOfManyPathsStayInThePanelAndAtTheirPlace() throws Exception {
        var points = List.of(new Point(4096, 2, 1, 5), new Point(8192, 2, 1, 5), new Point(1 << 20, 2, 1, 5));
        Line[] lines = IntStream.range(0, 20)
                .mapToObj(i -> new Line("path" + i, points))
                .toArray(Line[]::new);

        String chart = draw(panel(BYTES, lines), panel(BYTES, lines));

        List<Element> panels = classed(chart, "rect", "panel");
        List<Double> places = bars(chart).stream()
                .map(bar -> numbers(bar.getAttribute("d"))[0])
                .toList();
        double left = Double.parseDouble(panels.getFirst().getAttribute("x"));
        double width = Double.parseDouble(panels.getFirst().getAttribute("width"));
        assertThat(places).hasSize(2 * 20 * 3);
        assertThat(places.subList(0, 60)).allMatch(x -> x > left && x < left + width);
        // The last path's bar at the first place stands before the first path's at the second.
        assertThat(places.get(57)).isLessThan(places.get(1));
    }

    @Test
    void panelsOfTheSamePathsShareTheirLegend() throws Exception {
        var points = List.of(Point.of(4096, 2));
        Panel one = panel(BYTES, new Line("grpc", points), new Line("flight", points));
        Panel other = panel(BYTES, new Line("grpc", points), new Line("memcpy", points));

        assertThat(texts(draw(one, one))).containsOnlyOnce("grpc");
        assertThat(texts(draw(one, other))).filteredOn("grpc"::equals).hasSize(2);
    }

    @Test
    void aNumberStaysWithItsUnit() {
        assertThat(Svg.wrap("receives of 4 KiB each", Svg.width("receives of 4")))
                .containsExactly("receives of", "4 KiB each");
    }

    @Test
    void aGoalIsALineWithItsNameAndInsideTheAxis() throws Exception {
        Panel panel = new LinePanel(
                "cost",
                BYTES,
                MICROS,
                List.of(new Line("grpc", List.of(Point.of(4096, 2), Point.of(8192, 3)))),
                List.of(new Goal("at most 90", 90)));
        String chart = draw(panel);

        assertThat(texts(chart)).contains("at most 90", "100");
        List<Element> goals = classed(chart, "line", "goal");
        // In the legend, and in the plot.
        assertThat(goals).hasSize(2);
        assertThat(y(goals.getLast())).isBetween(y(goals.getFirst()), 170 + y(goals.getFirst()));
    }

    @Test
    void severalPathsAreNamedAndOneIsNot() throws Exception {
        var points = List.of(Point.of(4096, 2));

        assertThat(texts(draw(panel(BYTES, new Line("grpc", points))))).doesNotContain("grpc");
        assertThat(texts(draw(panel(BYTES, new Line("grpc", points), new Line("flight", points)))))
                .contains("grpc", "flight");
    }

    @Test
    void aRatioStandsBesideItsGoal() throws Exception {
        String chart = draw(new RatioPanel(
                "goals",
                List.of(
                        new RatioPanel.Ratio("throughput / memcpy", 0.85, 0.64, 1.11, true, 0.8),
                        new RatioPanel.Ratio("latency / grpc-java", 0.5, 0.4, 22.5, false, 0.2))));

        assertThat(texts(chart))
                .contains(
                        "throughput / memcpy",
                        "0.85 (0.64..1.11)",
                        "at least 0.8",
                        "latency / grpc-java",
                        "0.50 (0.40..22.5)",
                        "at most 0.2");
        assertThat(classed(chart, "text", "n e warn"))
                .extracting(Element::getTextContent)
                .containsExactly("at most 0.2");
        assertThat(bars(chart)).hasSize(2);
        assertThat(classed(chart, "line", "goal")).hasSize(2);
    }

    @Test
    void noTextLeavesThePicture() throws Exception {
        String words = "us of the processor's time in the consumer's loop for each receive of 4 KiB, one outstanding "
                + "at each of many peers";
        var points = List.of(Point.of(1, 2), Point.of(100_000, 3_000_000));
        Axis wordy = Axis.decimal(words);
        var panels = new ArrayList<Panel>();
        for (int i = 0; i < 2; i++) {
            panels.add(
                    new LinePanel(words, wordy, wordy, List.of(new Line("grpc", points)), List.of(new Goal(words, 4))));
        }
        panels.add(panel(
                wordy,
                IntStream.range(0, 12)
                        .mapToObj(i -> new Line("grpc+verbs@chunk=4MiB:underway=16MiB:lanes=" + i, points))
                        .toArray(Line[]::new)));
        panels.add(new RatioPanel(words, List.of(new RatioPanel.Ratio(words, 1, 1, 1, true, 1))));

        String chart = draw(panels.toArray(Panel[]::new));

        assertThat(elements(chart, "text")).isNotEmpty().allSatisfy(text -> {
            List<String> classes = List.of(text.getAttribute("class").split(" "));
            double width = text.getTextContent().length() * (classes.contains("h") ? BOLD_LETTER : LETTER);
            double x = Double.parseDouble(text.getAttribute("x"));
            double left = classes.contains("e") ? x - width : classes.contains("c") ? x - width / 2 : x;
            assertThat(left).isNotNegative();
            assertThat(left + width).isLessThanOrEqualTo(WIDTH);
        });
    }

    @Test
    void namesAreNoMarkup() throws Exception {
        String chart = draw(new LinePanel(
                "a < b & c",
                Axis.decimal("x > 1"),
                Axis.decimal("\"y\""),
                List.of(new Line("<grpc>", List.of(Point.of(1, 1)))),
                List.of()));

        assertThat(texts(chart)).contains("a < b & c", "x > 1", "\"y\"");
    }

    @Test
    void theSameFiguresGiveTheSameFile() {
        Panel panel = panel(BYTES, new Line("grpc", List.of(new Point(4096, 2, 1, 5))));

        assertThat(draw(panel)).isEqualTo(draw(panel));
    }

    @Test
    void darkPagesHaveColoursOfTheirOwn() {
        assertThat(draw(panel(BYTES, new Line("grpc", List.of(Point.of(4096, 2))))))
                .contains("@media (prefers-color-scheme: dark)");
    }

    @Test
    void aPointOutsideOfItsSpreadIsRefused() {
        assertThatThrownBy(() -> new Point(1, 3, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("median 3.0 is outside of its spread 1.0..2.0");
        assertThatThrownBy(() -> new Point(1, -1, -2, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 0 on");
    }

    private static Panel panel(Axis x, Line... lines) {
        return new LinePanel("cost", x, MICROS, List.of(lines), List.of());
    }

    private static String draw(Panel... panels) {
        return SvgChart.draw(new Chart("of a test", List.of(panels)));
    }

    private static List<Element> bars(String svg) throws Exception {
        return elements(svg, "path").stream()
                .filter(path -> path.getAttribute("class").endsWith(" bar"))
                .toList();
    }

    private static List<Element> classed(String svg, String name, String classes) throws Exception {
        return elements(svg, name).stream()
                .filter(each -> each.getAttribute("class").equals(classes))
                .toList();
    }

    private static double y(Element line) {
        return Double.parseDouble(line.getAttribute("y1"));
    }

    private static double[] numbers(String path) {
        return Pattern.compile("[\\d.]+")
                .matcher(path)
                .results()
                .mapToDouble(number -> Double.parseDouble(number.group()))
                .toArray();
    }

    private static List<String> texts(String svg) throws Exception {
        return elements(svg, "text").stream().map(Element::getTextContent).toList();
    }

    private static List<Element> elements(String svg, String name) throws Exception {
        var nodes = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)))
                .getElementsByTagName(name);
        var elements = new ArrayList<Element>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }
}
