package io.tensorferry.it.benchmark.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// @param title begins with the unit
/// @param ticks which numbers are round
/// @param label writes a number
public record Axis(String title, Ticks ticks, DoubleFunction<String> label) {
    private static final MathContext DIGITS = new MathContext(3);
    private static final double GROUPED = 100;

    /// Of numbers that people count in tens.
    public static Axis decimal(String title) {
        return new Axis(title, Ticks.DECIMAL, Axis::number);
    }

    /// Of bytes.
    ///
    /// @param label writes a number of bytes with its unit
    public static Axis binary(String title, DoubleFunction<String> label) {
        return new Axis(title, Ticks.BINARY, label);
    }

    public boolean isBinary() {
        return ticks == Ticks.BINARY;
    }

    String unit() {
        return title.split("[ ,]", 2)[0];
    }

    /// With the unit.
    String figure(double value) {
        return isBinary() ? label.apply(value) : label.apply(value) + " " + unit();
    }

    /// Three digits, or all before the point; never as a power of ten.
    static String number(double value) {
        return value >= GROUPED
                ? String.format(Locale.ROOT, "%,.0f", value)
                : value == 0
                        ? "0"
                        : new BigDecimal(value)
                                .round(DIGITS)
                                .stripTrailingZeros()
                                .toPlainString();
    }
}
