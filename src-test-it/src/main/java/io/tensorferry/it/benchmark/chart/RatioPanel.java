package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// Ratios beside their goals, a row for each.
public record RatioPanel(String title, List<Ratio> ratios) implements Panel {
    /// @param what is divided by what, and where
    /// @param atLeast whether the median should reach the limit; otherwise it should stay below
    public record Ratio(String what, double median, double minimum, double maximum, boolean atLeast, double limit) {
        boolean isMet() {
            return atLeast ? median >= limit : median <= limit;
        }
    }
}
