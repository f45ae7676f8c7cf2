package io.tensorferry.it.benchmark.chart;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Draws a [Chart] as an SVG file of 830 pixels, the width of a page on GitHub.
///
/// A panel with several lines, or with ratios, has the whole width. Two panels with one line each stand side by side.
public final class SvgChart {
    private static final double WIDTH = 830;
    private static final double EDGE = 12;
    private static final double BETWEEN = 14;
    private static final double WIDE_HEIGHT = 260;
    private static final double NARROW_HEIGHT = 170;
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

    private double panels(List<Panel> panels, double top) {
        double y = top;
        int next = 0;
        while (next < panels.size()) {
            Panel panel = panels.get(next);
            boolean pair = isNarrow(panel) && next + 1 < panels.size() && isNarrow(panels.get(next + 1));
            double middle = WIDTH / 2;
            if (pair) {
                double one = draw(panel, EDGE, middle - EDGE, y, NARROW_HEIGHT);
                double other = draw(panels.get(next + 1), middle + EDGE, WIDTH - EDGE, y, NARROW_HEIGHT);
                y = Math.max(one, other) + BETWEEN;
                next += 2;
            } else {
                y = draw(
                                panel,
                                EDGE,
                                isNarrow(panel) ? middle - EDGE : WIDTH - EDGE,
                                y,
                                isNarrow(panel) ? NARROW_HEIGHT : WIDE_HEIGHT)
                        + BETWEEN;
                next++;
            }
        }
        return y - BETWEEN;
    }

    private double draw(Panel panel, double left, double right, double top, double height) {
        return switch (panel) {
            case LinePanel lines -> new LinePlot(svg, styles, lines, left, right).draw(top, height);
            case RatioPanel ratios -> new RatioPlot(svg, ratios, left, right).draw(top);
        };
    }

    private static boolean isNarrow(Panel panel) {
        return panel instanceof LinePanel lines && lines.lines().size() == 1;
    }

    private static Stream<Line> lines(Chart chart) {
        return chart.panels().stream()
                .flatMap(panel -> panel instanceof LinePanel lines ? lines.lines().stream() : Stream.empty());
    }

    private static boolean hasSpread(Chart chart) {
        return lines(chart).flatMap(line -> line.points().stream()).anyMatch(Point::hasSpread);
    }
}
