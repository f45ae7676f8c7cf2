package io.tensorferry.verbs.placement;

import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.List;
import java.util.stream.Stream;

/// What one consumer's worker receives, and the memory that it registers for it. Immutable.
///
/// All sizes are those of places: rounded up to the alignment.
///
/// @param worker the worker, as `/job:worker/replica:0/task:1`
/// @param decisions of all edges whose consumer is on this worker: what is kept first, then by first use, then by key
/// @param plannedBytes what the static tensors take together; every place lies within
/// @param sumOfSizes what they would take if none shared a byte
/// @param lowerBound the greatest sum of sizes that are in use at one time; nothing less can do
public record WorkerPlan(
        String worker, List<EdgeDecision> decisions, long plannedBytes, long sumOfSizes, long lowerBound) {
    public WorkerPlan {
        decisions = List.copyOf(decisions);
    }

    /// The decisions that have a place in this worker's memory.
    public Stream<Static> statics() {
        return decisions.stream().filter(Static.class::isInstance).map(Static.class::cast);
    }

    /// `plannedBytes` for each byte of `lowerBound`: 1 is as good as can be. 1 where nothing is planned.
    public double ratio() {
        return lowerBound == 0 ? 1 : (double) plannedBytes / lowerBound;
    }
}
