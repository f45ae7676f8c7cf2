package io.tensorferry.it.benchmark;

/// The fixed rate of requests for tensors of one length, the same on every path.
///
/// @param mostPerSecond the maximum rate; 0 disables measurements at a fixed rate
/// @param mostBytesPerSecond the maximum number of requested bytes per second
public record Pace(double mostPerSecond, double mostBytesPerSecond) {
    private static final double LEAST_PER_SECOND = 10;

    /// The rate for tensors of this length; 0 if it would be too low for a meaningful measurement.
    public double perSecond(long bytes) {
        double rate = Math.min(mostPerSecond, mostBytesPerSecond / Math.max(1, bytes));
        return rate < LEAST_PER_SECOND ? 0 : rate;
    }

    /// The number of measurements of each path in a round.
    public int measurements(long bytes) {
        return perSecond(bytes) > 0 ? Turn.MEASUREMENTS + 1 : Turn.MEASUREMENTS;
    }
}
