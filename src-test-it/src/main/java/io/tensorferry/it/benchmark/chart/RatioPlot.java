package io.tensorferry.it.benchmark.chart;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/// Draws a [RatioPanel].
final class RatioPlot {
    private static final double LINE = 16;
    private static final double BESIDE_ROWS = 10;
    private static final double WORDS = 300;
    private static final double FIGURES = 130;
    private static final double LIMIT = 100;

    private final Svg svg;
    private final RatioPanel panel;
    private final double left;
    private final double right;

    RatioPlot(Svg svg, RatioPanel panel, double left, double right) {
        this.svg = svg;
        this.panel = panel;
        this.left = left;
        this.right = right;
    }

    /// @param top the top of the panel
    /// @return the bottom of the panel
    double draw(double top) {
        double head = svg.heading(left, top, right - left, panel.title()) + 4;
        svg.text("n e", right - LIMIT, head, "median (least..most)");
        svg.text("n e", right, head, "goal");

        double plotLeft = left + WORDS + 8;
        double plotRight = right - FIGURES - LIMIT - 8;
        double plotTop = head + 8;
        List<List<String>> words = panel.ratios().stream()
                .map(ratio -> Svg.wrap(ratio.what(), WORDS))
                .toList();
        double plotBottom = plotTop
                + words.stream()
                        .mapToDouble(each -> each.size() * LINE + BESIDE_ROWS)
                        .sum();
        LogScale across = LogScale.enclosing(
                Ticks.DECIMAL,
                panel.ratios().stream()
                        .flatMapToDouble(each -> DoubleStream.of(each.minimum(), each.maximum(), each.limit()))
                        .toArray(),
                plotLeft + 12,
                plotRight - 12);

        svg.rectangle("panel", plotLeft, plotTop, plotRight - plotLeft, plotBottom - plotTop);
        for (double tick : across.ticks()) {
            svg.rule("grid", across.at(tick), plotTop, across.at(tick), plotBottom);
            svg.text("n c", across.at(tick), plotBottom + LINE, Axis.number(tick));
        }
        double y = plotTop;
        for (int i = 0; i < words.size(); i++) {
            double height = words.get(i).size() * LINE + BESIDE_ROWS;
            row(panel.ratios().get(i), words.get(i), y, height, across);
            y += height;
        }
        return plotBottom + 2 * LINE + 4;
    }

    private void row(RatioPanel.Ratio ratio, List<String> words, double top, double height, LogScale across) {
        double middle = top + height / 2;
        svg.paragraph("n", left, top + BESIDE_ROWS / 2 + 12, words);
        String colour = ratio.isMet() ? "ink" : "missed";
        svg.rule("goal", across.at(ratio.limit()), top + 2, across.at(ratio.limit()), top + height - 2);
        svg.whisker(colour + " bar", across.at(ratio.minimum()), middle, across.at(ratio.maximum()), middle);
        String figure = figure(ratio.median()) + " (" + figure(ratio.minimum()) + ".." + figure(ratio.maximum()) + ")";
        String limit = (ratio.atLeast() ? "at least " : "at most ") + Axis.number(ratio.limit());
        svg.marker(
                new PathStyle(colour, PathStyle.Marker.CIRCLE, !ratio.isMet()),
                across.at(ratio.median()),
                middle,
                ratio.what() + ": " + figure + ", " + limit);
        svg.text("n e", right - LIMIT, middle + 4, figure);
        svg.text(ratio.isMet() ? "n e" : "n e warn", right, middle + 4, limit);
    }

    /// Formats a ratio as in the tables.
    private static String figure(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.1f", value);
    }
}
