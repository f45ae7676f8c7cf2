package io.tensorferry.it.benchmark.chart;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Draws a [Chart] as an SVG file 830 pixels wide, the width of a page on GitHub.
///
/// Two panels with the same paths, or with one line each, are drawn side by side.
public final class SvgChart {
    private static final double WIDTH = 830;
    private static final double EDGE = 12;
    private static final double BETWEEN = 14;
    private static final double ROW = 20;
    private static final double NAMED_HEIGHT = 260;
    private static final double HEIGHT = 170;
    private static final String SPREAD = "Points are medians. Bars reach from the least to the most of the rounds.";

    private final Svg svg = new Svg();
    private final PathStyles styles;

    private SvgChart(PathStyles styles) {
        this.styles = styles;
    }

    /// @return the whole file
    public static String draw(Chart chart) {
        var styles = new PathStyles(lines(chart).map(Line::path).toList());
        return new SvgChart(styles).document(chart);
    }

    private String document(Chart chart) {
        double bottom = panels(chart.panels(), EDGE);
        if (hasSpread(chart)) {
            bottom += 12;
            svg.text("n", EDGE, bottom, SPREAD);
        }
        int height = (int) Math.ceil(bottom + EDGE);
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img"
                     aria-labelledby="title desc">
                  <title id="title">%3$s</title>
                  <desc id="desc">%4$s</desc>
                %5$s  <rect class="bg" width="%1$d" height="%2$d"/>
                %6$s</svg>
                """.formatted(
                        (int) WIDTH,
                        height,
                        Svg.escape(chart.title()),
                        Svg.escape(chart.panels().stream().map(Panel::title).collect(Collectors.joining("; "))),
                        SvgStyle.ELEMENT,
                        svg);
    }

    /// @return the bottom of the last panel
    private double panels(List<Panel> panels, double top) {
        double y = top;
        int next = 0;
        while (next < panels.size()) {
            if (panels.get(next) instanceof LinePanel one) {
                List<LinePanel> row = next + 1 < panels.size()
                                && panels.get(next + 1) instanceof LinePanel other
                                && canStandBeside(one, other)
                        ? List.of(one, other)
                        : List.of(one);
                y = lines(row, y);
                next += row.size();
            } else if (panels.get(next) instanceof RatioPanel ratios) {
                y = new RatioPlot(svg, ratios, EDGE, WIDTH - EDGE).draw(y);
                next++;
            }
            y += BETWEEN;
        }
        return y - BETWEEN;
    }

    /// Whether two panels may be drawn side by side: they can share a legend, or need none because each has a single
    /// line.
    private static boolean canStandBeside(LinePanel one, LinePanel other) {
        return one.paths().equals(other.paths())
                || (one.lines().size() == 1 && other.lines().size() == 1);
    }

    private double lines(List<LinePanel> row, double top) {
        List<String> paths = row.getFirst().paths();
        boolean named = paths.size() > 1;
        double below = named ? new Legend(svg, styles, EDGE, WIDTH - EDGE).paths(paths, top + ROW / 2) : top;
        double height = named ? NAMED_HEIGHT : HEIGHT;
        double middle = WIDTH / 2;
        boolean wide = row.size() == 1 && named;
        double bottom =
                new LinePlot(svg, styles, row.getFirst(), EDGE, (wide ? WIDTH : middle) - EDGE).draw(below, height);
        return row.size() == 1
                ? bottom
                : Math.max(
                        bottom,
                        new LinePlot(svg, styles, row.getLast(), middle + EDGE, WIDTH - EDGE).draw(below, height));
    }

    private static Stream<Line> lines(Chart chart) {
        return chart.panels().stream()
                .flatMap(panel -> panel instanceof LinePanel lines ? lines.lines().stream() : Stream.empty());
    }

    private static boolean hasSpread(Chart chart) {
        return lines(chart).flatMap(line -> line.points().stream()).anyMatch(Point::hasSpread);
    }
}
