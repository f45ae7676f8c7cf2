package io.tensorferry.it.benchmark;

import java.util.Collection;

/// The median and the extremes of several rounds.
public record Spread(double median, double minimum, double maximum) {
    /// @throws IllegalArgumentException if `values` is empty
    public static Spread of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("a spread needs one value or more");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
