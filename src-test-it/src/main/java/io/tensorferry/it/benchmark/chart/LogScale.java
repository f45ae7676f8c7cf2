package io.tensorferry.it.benchmark.chart;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The positions of values on a logarithmic axis. Zero, which has no logarithm, is positioned before all other values.
///
/// @param ticks the labelled values, in ascending order
/// @param least the least positive value
/// @param most the greatest value
/// @param zero the position of zero
/// @param start the position of `least`
/// @param end the position of `most`
record LogScale(List<Double> ticks, double least, double most, double zero, double start, double end) {
    /// The fraction of an axis between zero and the least positive value.
    private static final double BEFORE_LEAST = 0.12;

    /// A scale between two round numbers, with round numbers as ticks.
    static LogScale enclosing(Ticks kind, double[] values, double start, double end) {
        double[] positive = positive(values);
        List<Double> numbers = positive.length == 0
                ? kind.enclosing(1, 1)
                : kind.enclosing(positive[0], positive[positive.length - 1]);
        return of(numbers, kind.labelled(numbers), positive.length < values.length, start, end);
    }

    /// A scale from the least value to the greatest, with the values themselves as ticks.
    static LogScale through(double[] values, double start, double end) {
        List<Double> numbers =
                Arrays.stream(positive(values)).distinct().boxed().toList();
        if (numbers.isEmpty()) {
            return new LogScale(List.of(0.0), 1, 1, (start + end) / 2, start, end);
        }
        return of(numbers, numbers, Arrays.stream(values).anyMatch(value -> value == 0), start, end);
    }

    private static LogScale of(
            List<Double> numbers, List<Double> labelled, boolean withZero, double start, double end) {
        List<Double> ticks =
                withZero ? Stream.concat(Stream.of(0.0), labelled.stream()).toList() : labelled;
        double first = withZero ? start + BEFORE_LEAST * (end - start) : start;
        return new LogScale(ticks, numbers.getFirst(), numbers.getLast(), start, first, end);
    }

    private static double[] positive(double[] values) {
        return Arrays.stream(values).filter(value -> value > 0).sorted().toArray();
    }

    double at(double value) {
        if (value == 0) {
            return zero;
        }
        return least == most
                ? (start + end) / 2
                : start + (end - start) * StrictMath.log(value / least) / StrictMath.log(most / least);
    }
}
