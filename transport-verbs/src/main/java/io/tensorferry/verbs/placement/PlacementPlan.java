package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// How each edge's tensor travels, and where the static ones lie. Immutable; any thread.
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

    /// What the plan counts on.
    public PlacementOptions options() {
        return options;
    }

    /// Every worker that consumes something, by job, replica and task. Equal for equal edges and options.
    public List<WorkerPlan> workers() {
        return workers;
    }

    /// All decisions, by worker.
    public Stream<EdgeDecision> decisions() {
        return workers.stream().flatMap(worker -> worker.decisions().stream());
    }

    /// How the tensor of this edge travels.
    ///
    /// @throws IllegalArgumentException if the plan was made without this edge
    public EdgeDecision decision(RendezvousKey key) {
        EdgeDecision decision = byKey.get(key);
        if (decision == null) {
            throw new IllegalArgumentException(
                    "edge " + key + " is none of the " + byKey.size() + " that the plan was made for");
        }
        return decision;
    }

    /// All of it as text of several lines, for a person to read.
    public String report() {
        return PlanReport.of(this);
    }

    /// The first lines of the report: how many edges go which way, and what the plan counts on.
    @Override
    public String toString() {
        return PlanReport.summary(this);
    }
}
