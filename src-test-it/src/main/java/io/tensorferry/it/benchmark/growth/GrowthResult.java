package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.Spread;
import java.util.List;

/// What one series gave.
///
/// @param name on the command line
/// @param what grows
/// @param cost what was measured, with its unit
/// @param costs at each number, from the least to the most
record GrowthResult(String name, String what, String cost, List<Cost> costs) {
    /// @param at the number
    /// @param rounds what was measured there, round by round
    record Cost(long at, List<Double> rounds) {
        Spread spread() {
            return Spread.of(rounds);
        }
    }
}
