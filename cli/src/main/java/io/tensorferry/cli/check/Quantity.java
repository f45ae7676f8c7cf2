package io.tensorferry.cli.check;

import java.util.Locale;

/// Formats durations and rates for people.
final class Quantity {
    private static final double KILO = 1000;
    private static final double KIBI = 1024;

    private Quantity() {}

    /// Three digits and a unit, for example `12.3 us`.
    static String duration(long ns) {
        if (ns < KILO) {
            return ns + " ns";
        }
        double value = ns / KILO;
        for (String unit : new String[] {"us", "ms"}) {
            if (value < KILO) {
                return digits(value) + " " + unit;
            }
            value /= KILO;
        }
        return digits(value) + " s";
    }

    /// For example `1.23 GiB/s`.
    static String rate(double bytesPerSecond) {
        double value = bytesPerSecond;
        for (String unit : new String[] {"B/s", "KiB/s", "MiB/s"}) {
            if (value < KIBI) {
                return digits(value) + " " + unit;
            }
            value /= KIBI;
        }
        return digits(value) + " GiB/s";
    }

    private static String digits(double value) {
        int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
