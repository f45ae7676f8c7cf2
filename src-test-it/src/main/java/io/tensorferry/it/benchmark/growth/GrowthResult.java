package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.Spread;
import java.util.List;

/// The result of one series.
///
/// @param name the name on the command line
/// @param what the quantity that grows
/// @param cost the measured cost, with its unit
/// @param costs the cost at each point, in ascending order of points
record GrowthResult(String name, String what, String cost, List<Cost> costs) {
    /// @param at the point
    /// @param rounds the measured costs, one per round
    record Cost(long at, List<Double> rounds) {
        Spread spread() {
            return Spread.of(rounds);
        }
    }
}
