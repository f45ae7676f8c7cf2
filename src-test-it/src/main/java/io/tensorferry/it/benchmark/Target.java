package io.tensorferry.it.benchmark;

import java.util.Locale;

/// The target of a ratio.
///
/// @param what the numerator, the denominator and the sizes
/// @param atLeast whether higher is better
/// @param limit the minimum or maximum of the median
public record Target(String what, boolean atLeast, double limit) {
    public static Target atLeast(double limit, String what) {
        return new Target(what, true, limit);
    }

    public static Target atMost(double limit, String what) {
        return new Target(what, false, limit);
    }

    /// @param at the measured configuration, for example a size
    public Verdict verdict(String at, Spread figure) {
        return new Verdict(this, at, figure);
    }

    /// A target with the measured value.
    public record Verdict(Target target, String at, Spread figure) {
        public boolean isMet() {
            return target.atLeast ? figure.median() >= target.limit : figure.median() <= target.limit;
        }

        /// The relative distance to the target; negative if the target is met.
        public double missedBy() {
            double difference = target.atLeast ? target.limit - figure.median() : figure.median() - target.limit;
            return target.limit == 0 ? difference : difference / target.limit;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-6s %s, %s: %.2f (%.2f..%.2f), %s %.2f%s",
                    isMet() ? "met" : "missed",
                    target.what,
                    at,
                    figure.median(),
                    figure.minimum(),
                    figure.maximum(),
                    target.atLeast ? "at least" : "at most",
                    target.limit,
                    isMet() ? "" : String.format(Locale.ROOT, ": missed by %.0f %%", 100 * missedBy()));
        }
    }
}
