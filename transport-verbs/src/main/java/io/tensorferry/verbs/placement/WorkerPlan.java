package io.tensorferry.verbs.placement;

import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.List;
import java.util.stream.Stream;

/// The decisions for one consumer's worker, and the memory that it registers for the static tensors. Immutable.
///
/// All sizes are sizes of places: rounded up to the alignment.
///
/// @param worker the worker, as `/job:worker/replica:0/task:1`
/// @param decisions the decisions for all edges whose consumer is on this worker: kept tensors first, then by first
///     use, then by key
/// @param plannedBytes the memory of the static tensors together; every place lies within it
/// @param sumOfSizes the memory they would take if no bytes were shared
/// @param lowerBound the greatest sum of sizes in use at one time; no plan takes less
public record WorkerPlan(
        String worker, List<EdgeDecision> decisions, long plannedBytes, long sumOfSizes, long lowerBound) {
    public WorkerPlan {
        decisions = List.copyOf(decisions);
    }

    /// The decisions with a place in this worker's memory.
    public Stream<Static> statics() {
        return decisions.stream().filter(Static.class::isInstance).map(Static.class::cast);
    }

    /// The ratio of `plannedBytes` to `lowerBound`; 1 is optimal, and also the value if nothing is planned.
    public double ratio() {
        return lowerBound == 0 ? 1 : (double) plannedBytes / lowerBound;
    }
}
