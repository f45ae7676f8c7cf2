package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.Axis;

/// The axes of the charts.
public final class Axes {
    private static final String BYTES = "bytes";

    private Axes() {}

    /// @param title begins with the unit; after `bytes` numbers are written as `4 KiB` and `16 MiB`
    public static Axis of(String title) {
        return title.startsWith(BYTES)
                ? Axis.binary(title, value -> new ByteSize(Math.round(value)).toString())
                : Axis.decimal(title);
    }
}
