package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// Ratios beside their goals, a row for each.
public record RatioPanel(String title, List<Ratio> ratios) implements Panel {
    /// @param what the numerator, the denominator and the configuration
    /// @param atLeast whether the limit is a minimum for the median; otherwise it is a maximum
    public record Ratio(String what, double median, double minimum, double maximum, boolean atLeast, double limit) {
        boolean isMet() {
            return atLeast ? median >= limit : median <= limit;
        }
    }
}
