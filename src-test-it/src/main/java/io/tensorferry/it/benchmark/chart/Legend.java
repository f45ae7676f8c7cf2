package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// Labels the lines of a panel, or of two panels with the same paths, and the goals.
final class Legend {
    private static final double ROW = 20;
    private static final double SAMPLE = 34;
    private static final double SAMPLE_LINE = 26;
    private static final double BETWEEN = 14;

    private final Svg svg;
    private final PathStyles styles;
    private final double left;
    private final double right;

    Legend(Svg svg, PathStyles styles, double left, double right) {
        this.svg = svg;
        this.styles = styles;
        this.left = left;
        this.right = right;
    }

    /// Draws the paths from left to right, in as many rows as necessary.
    ///
    /// @param y the position of the first row
    /// @return the position below the last row
    double paths(List<String> paths, double y) {
        double x = left;
        double row = y;
        for (String path : paths) {
            double width = SAMPLE + Svg.width(path);
            if (x + width > right && x > left) {
                x = left;
                row += ROW;
            }
            PathStyle style = styles.of(path);
            svg.rule(style.lineClasses(), x, row, x + SAMPLE_LINE, row);
            svg.marker(style, x + SAMPLE_LINE / 2, row, path);
            svg.text("n", x + SAMPLE, row + 4, path);
            x += width + BETWEEN;
        }
        return row + ROW;
    }

    /// Draws the goals below one another.
    ///
    /// @param y the position of the first goal
    /// @return the position below the last goal
    double goals(List<Goal> goals, double y) {
        double row = y;
        for (Goal goal : goals) {
            svg.rule("goal", left, row, left + SAMPLE_LINE, row);
            row = svg.paragraph("n", left + SAMPLE, row + 4, Svg.wrap(goal.text(), right - left - SAMPLE));
        }
        return row;
    }
}
