package io.tensorferry.it.benchmark.chart;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/// Draws a [LinePanel], without the names of its lines.
final class LinePlot {
    private static final double LINE = 16;
    // The distance of the outermost points from the edges.
    private static final double MARGIN = 30;
    // The distance between the bars of two paths at the same x, if there is room.
    private static final double BESIDE = 7;
    // The fraction of the room between two x, or at the edge, that the bars of one x may occupy.
    private static final double TAKEN = 0.8;

    private final Svg svg;
    private final PathStyles styles;
    private final LinePanel panel;
    private final double left;
    private final double right;

    LinePlot(Svg svg, PathStyles styles, LinePanel panel, double left, double right) {
        this.svg = svg;
        this.styles = styles;
        this.panel = panel;
        this.left = left;
        this.right = right;
    }

    /// @param top the top of the panel
    /// @param height the height of the plot between the axes
    /// @return the bottom of the panel
    double draw(double top, double height) {
        double below = svg.heading(left, top, right - left, panel.title());
        below = svg.paragraph("n", left, below, Svg.wrap(panel.y().title(), right - left));
        double plotTop = new Legend(svg, styles, left, right).goals(panel.goals(), below);
        double plotBottom = plotTop + height;

        LogScale down = LogScale.enclosing(panel.y().ticks(), heights(), plotBottom, plotTop);
        double labels = down.ticks().stream()
                .mapToDouble(tick -> Svg.width(panel.y().label().apply(tick)))
                .max()
                .orElse(0);
        double plotLeft = left + labels + 6;
        LogScale across = LogScale.through(places(), plotLeft + MARGIN, right - MARGIN);

        svg.rectangle("panel", plotLeft, plotTop, right - plotLeft, height);
        for (double tick : down.ticks()) {
            svg.rule("grid", plotLeft, down.at(tick), right, down.at(tick));
            svg.text("n e", plotLeft - 6, down.at(tick) + 4, panel.y().label().apply(tick));
        }
        labelPlaces(across, plotTop, plotBottom);
        panel.goals().forEach(goal -> svg.rule("goal", plotLeft, down.at(goal.value()), right, down.at(goal.value())));
        lines(across, down);
        return svg.paragraph(
                "n c",
                (plotLeft + right) / 2,
                plotBottom + 2 * LINE + 4,
                Svg.wrap(panel.x().title(), right - plotLeft));
    }

    /// Draws a mark at every measured x, and as many labels as fit. The first and the last label have priority.
    private void labelPlaces(LogScale across, double plotTop, double plotBottom) {
        List<Double> ticks = across.ticks();
        var ends = new TreeMap<Double, Double>();
        for (double tick : ticks) {
            svg.rule("grid", across.at(tick), plotTop, across.at(tick), plotBottom);
        }
        label(ticks.getFirst(), across, plotBottom, ends);
        label(ticks.getLast(), across, plotBottom, ends);
        ticks.forEach(tick -> label(tick, across, plotBottom, ends));
    }

    /// @param ends the ends of the labels drawn so far, by their starts
    private void label(double tick, LogScale across, double plotBottom, NavigableMap<Double, Double> ends) {
        String text = panel.x().label().apply(tick);
        double start = across.at(tick) - Svg.width(text) / 2 - 3;
        double end = across.at(tick) + Svg.width(text) / 2 + 3;
        var before = ends.lowerEntry(end);
        if (before == null || before.getValue() <= start) {
            ends.put(start, end);
            svg.text("n c", across.at(tick), plotBottom + LINE, text);
        }
    }

    private void lines(LogScale across, LogScale down) {
        int count = panel.lines().size();
        boolean withBars =
                panel.lines().stream().flatMap(line -> line.points().stream()).anyMatch(Point::hasSpread);
        double apart = Math.min(BESIDE, TAKEN * room(across) / count);
        for (int i = 0; i < count; i++) {
            Line line = panel.lines().get(i);
            PathStyle style = styles.of(line.path());
            double beside = withBars ? (i - (count - 1) / 2.0) * apart : 0;
            svg.polyline(
                    style.lineClasses(),
                    line.points().stream()
                            .map(point -> new double[] {across.at(point.x()) + beside, down.at(point.median())})
                            .toList());
            for (Point point : line.points()) {
                double x = across.at(point.x()) + beside;
                if (point.hasSpread()) {
                    svg.whisker(style.colour() + " bar", x, down.at(point.minimum()), x, down.at(point.maximum()));
                }
                svg.marker(style, x, down.at(point.median()), tip(line, point));
            }
        }
    }

    /// The minimum distance between two x, and between an edge and its mirror image.
    private static double room(LogScale across) {
        double least = 2 * MARGIN;
        for (int i = 1; i < across.ticks().size(); i++) {
            double before = across.at(across.ticks().get(i - 1));
            least = Math.min(least, across.at(across.ticks().get(i)) - before);
        }
        return least;
    }

    private String tip(Line line, Point point) {
        String at = line.path() + ", " + panel.x().figure(point.x()) + ": "
                + panel.y().figure(point.median());
        return point.hasSpread()
                ? at + " (" + panel.y().label().apply(point.minimum()) + ".."
                        + panel.y().label().apply(point.maximum()) + ")"
                : at;
    }

    private double[] places() {
        return panel.lines().stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(Point::x)
                .toArray();
    }

    private double[] heights() {
        DoubleStream measured = panel.lines().stream()
                .flatMap(line -> line.points().stream())
                .flatMapToDouble(point -> DoubleStream.of(point.minimum(), point.maximum()));
        return DoubleStream.concat(measured, panel.goals().stream().mapToDouble(Goal::value))
                .toArray();
    }
}
