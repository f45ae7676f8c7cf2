package io.tensorferry.it.benchmark.chart;

/// What was measured at one place of the x axis. No number is negative.
///
/// @param minimum of the rounds; equals the median where the spread is unknown
/// @param maximum of the rounds; equals the median where the spread is unknown
public record Point(double x, double median, double minimum, double maximum) {
    public Point {
        if (!(x >= 0 && minimum >= 0 && Double.isFinite(maximum))) {
            throw new IllegalArgumentException("a logarithmic axis has no place for " + minimum + ".." + maximum
                    + " at " + x + ": it needs numbers from 0 on");
        }
        if (!(minimum <= median && median <= maximum)) {
            throw new IllegalArgumentException(
                    "median " + median + " is outside of its spread " + minimum + ".." + maximum);
        }
    }

    /// Without a spread.
    public static Point of(double x, double median) {
        return new Point(x, median, median, median);
    }

    boolean hasSpread() {
        return minimum < maximum;
    }
}
