package io.tensorferry.verbs.simulation;

import java.util.function.LongUnaryOperator;

/// Runs a simulation with one seed after the other, and tells how to run the one alone that fails.
final class SeededRuns {
    private static final long SEEDS_OF_A_KIND = 1_000_000;
    private static final int LONG_RUN = 2_000;

    private SeededRuns() {}

    /// The number of seeds of a scenario: `many` in a long run, with `-Dsimulation.seeds` of [#LONG_RUN] or more; a
    /// fifth
    /// of them in every build.
    static int ofScenario(int many) {
        return Integer.getInteger("simulation.seeds", 0) >= LONG_RUN ? many : Math.max(1, many / 5);
    }

    /// Whether only one seed is to be run, `-Dsimulation.seed=N`.
    static boolean isOneAlone() {
        return Long.getLong("simulation.seed") != null;
    }

    /// @param kind keeps the seeds of one test apart from those of another
    /// @param run what a run comes to, of a seed
    /// @return the sum over all runs
    static long sum(Class<?> test, String method, int kind, int count, LongUnaryOperator run) {
        Long only = Long.getLong("simulation.seed");
        long first = only != null ? only : kind * SEEDS_OF_A_KIND;
        long last = only != null ? only : first + count - 1;
        long sum = 0;
        for (long seed = first; seed <= last; seed++) {
            try {
                sum += run.applyAsLong(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "the simulation fails with seed " + seed
                                + "; this runs it alone: mvn -pl transport-testing -am test -Dtest='"
                                + test.getSimpleName() + "#" + method
                                + "' -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seed=" + seed,
                        e);
            }
        }
        return sum;
    }
}
