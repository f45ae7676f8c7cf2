package io.tensorferry.it.benchmark.growth;

import java.util.List;

/// A cost as a function of one number. For one thread.
interface GrowthSeries {
    /// The name on the command line and in the table.
    String name();

    /// The quantity that grows, as a plural.
    String what();

    /// The measured cost, with its unit.
    String cost();

    /// The points to measure, in ascending order.
    List<Long> points();

    /// Measures the cost at one point. Everything is warm from the second call on.
    double measure(long point) throws InterruptedException;
}
