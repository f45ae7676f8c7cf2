package io.tensorferry.it.benchmark.growth;

import java.util.List;

/// A cost as a function of one number. For one thread.
interface GrowthSeries {
    /// As it is called on the command line and in the table.
    String name();

    /// What grows, as a plural.
    String what();

    /// What is measured, with its unit.
    String cost();

    /// At which numbers, from the least to the most.
    List<Long> points();

    /// The cost at one of them. Everything is warm when this is called for the second time.
    double measure(long point) throws InterruptedException;
}
