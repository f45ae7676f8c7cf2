package io.tensorferry.it.benchmark;

/// The fixed rate at which tensors of a length are asked for, the same on every path.
///
/// @param mostPerSecond 0 for never at a fixed rate
/// @param mostBytesPerSecond what is asked for in a second
public record Pace(double mostPerSecond, double mostBytesPerSecond) {
    private static final double LEAST_PER_SECOND = 10;

    /// How often tensors of this length are asked for; 0 where that would be too seldom to see anything.
    public double perSecond(long bytes) {
        double rate = Math.min(mostPerSecond, mostBytesPerSecond / Math.max(1, bytes));
        return rate < LEAST_PER_SECOND ? 0 : rate;
    }

    /// How often each path is measured in a round.
    public int measurements(long bytes) {
        return perSecond(bytes) > 0 ? Turn.MEASUREMENTS + 1 : Turn.MEASUREMENTS;
    }
}
