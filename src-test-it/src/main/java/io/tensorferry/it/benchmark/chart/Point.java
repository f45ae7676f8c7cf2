package io.tensorferry.it.benchmark.chart;

/// The measurement at one position of the x axis. No value is negative.
///
/// @param minimum of the rounds; equals the median if the spread is unknown
/// @param maximum of the rounds; equals the median if the spread is unknown
public record Point(double x, double median, double minimum, double maximum) {
    public Point {
        if (!(x >= 0 && minimum >= 0 && Double.isFinite(maximum))) {
            throw new IllegalArgumentException("a logarithmic axis cannot show " + minimum + ".." + maximum + " at " + x
                    + ": it needs numbers from 0 on");
        }
        if (!(minimum <= median && median <= maximum)) {
            throw new IllegalArgumentException(
                    "median " + median + " is outside of its spread " + minimum + ".." + maximum);
        }
    }

    /// Creates a point without a spread.
    public static Point of(double x, double median) {
        return new Point(x, median, median, median);
    }

    boolean hasSpread() {
        return minimum < maximum;
    }
}
