package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The decision for each edge of a graph, and the offsets of the static tensors. Immutable; any thread.
public final class PlacementPlan {
    private final PlacementOptions options;
    private final List<WorkerPlan> workers;
    private final Map<RendezvousKey, EdgeDecision> byKey;

    PlacementPlan(PlacementOptions options, List<WorkerPlan> workers) {
        this.options = options;
        this.workers = List.copyOf(workers);
        this.byKey = new HashMap<>();
        decisions().forEach(decision -> byKey.put(decision.edge().key(), decision));
    }

    /// The options that the plan was created with.
    public PlacementOptions options() {
        return options;
    }

    /// Every worker that consumes a tensor, by job, replica and task. Equal for equal edges and options.
    public List<WorkerPlan> workers() {
        return workers;
    }

    /// All decisions, by worker.
    public Stream<EdgeDecision> decisions() {
        return workers.stream().flatMap(worker -> worker.decisions().stream());
    }

    /// Returns the decision for the edge with this key.
    ///
    /// @throws IllegalArgumentException if the plan was created without this edge
    public EdgeDecision decision(RendezvousKey key) {
        EdgeDecision decision = byKey.get(key);
        if (decision == null) {
            throw new IllegalArgumentException(
                    "edge " + key + " is not one of the " + byKey.size() + " edges of the plan");
        }
        return decision;
    }

    /// Returns the whole plan as multi-line text for people.
    public String report() {
        return PlanReport.of(this);
    }

    /// Returns the first lines of the report: the number of edges per protocol, and the options.
    @Override
    public String toString() {
        return PlanReport.summary(this);
    }
}
