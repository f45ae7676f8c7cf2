package io.tensorferry.it.benchmark.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// @param title begins with the unit
/// @param ticks the round numbers of the axis
/// @param label formats a number
public record Axis(String title, Ticks ticks, DoubleFunction<String> label) {
    private static final MathContext DIGITS = new MathContext(3);
    private static final double GROUPED = 100;

    /// An axis of decimal numbers.
    public static Axis decimal(String title) {
        return new Axis(title, Ticks.DECIMAL, Axis::number);
    }

    /// An axis of byte sizes.
    ///
    /// @param label formats a number of bytes with its unit
    public static Axis binary(String title, DoubleFunction<String> label) {
        return new Axis(title, Ticks.BINARY, label);
    }

    public boolean isBinary() {
        return ticks == Ticks.BINARY;
    }

    String unit() {
        return title.split("[ ,]", 2)[0];
    }

    /// Formats a value with the unit.
    String figure(double value) {
        return isBinary() ? label.apply(value) : label.apply(value) + " " + unit();
    }

    /// Formats with three significant digits, or with all digits of the integer part; never as a power of ten.
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
