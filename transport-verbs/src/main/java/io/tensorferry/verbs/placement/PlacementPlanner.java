package io.tensorferry.verbs.placement;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;

/// Plans, before the first step, how the tensors of a graph travel between workers. Stateless; any thread.
///
/// After Xue et al., "Fast Distributed Deep Learning over RDMA" (EuroSys 2019). `docs/placement.md` describes which
/// edges are static and how their places are packed.
public final class PlacementPlanner {
    private static final int BEFORE_ALL_STEPS = -1;

    // A canonical order, so that the plan does not depend on the order of the edges.
    private static final Comparator<DeviceName> BY_WORKER =
            comparing(DeviceName::job).thenComparingInt(DeviceName::replica).thenComparingInt(DeviceName::task);
    private static final Comparator<GraphEdge> CANONICAL = comparing(
                    (GraphEdge edge) -> edge.key().destination(), BY_WORKER)
            .thenComparing(comparingInt(PlacementPlanner::firstUse))
            .thenComparing(edge -> edge.key().toString());

    private PlacementPlanner() {}

    /// Decides for each edge whether it is static, dynamic or left to the rendezvous, and packs the static tensors of
    /// each consumer's worker into few bytes.
    ///
    /// The result does not depend on the order of the edges. Time: about one second for 30,000 static tensors of one
    /// worker that share bytes. The planner bounds its work by a count, not by time, so the result does not depend on
    /// the machine either.
    ///
    /// @throws IllegalArgumentException if two edges have the same key, or the static tensors of a worker have more
    ///     than 2^63 - 1 bytes together; the message names the edge
    public static PlacementPlan plan(Collection<GraphEdge> edges, PlacementOptions options) {
        requireDistinct(edges);
        var byWorker = new LinkedHashMap<String, List<GraphEdge>>();
        edges.stream()
                .sorted(CANONICAL)
                .forEach(edge -> byWorker.computeIfAbsent(
                                edge.key().destination().worker(), _ -> new ArrayList<>())
                        .add(edge));
        var workers = new ArrayList<WorkerPlan>(byWorker.size());
        byWorker.forEach((worker, consumed) -> workers.add(planWorker(worker, consumed, options)));
        return new PlacementPlan(options, workers);
    }

    private static WorkerPlan planWorker(String worker, List<GraphEdge> edges, PlacementOptions options) {
        var decisions = new ArrayList<EdgeDecision>(edges.size());
        var statics = new ArrayList<GraphEdge>();
        for (GraphEdge edge : edges) {
            DecisionRules.otherThanStatic(edge, options).ifPresentOrElse(decisions::add, () -> statics.add(edge));
        }
        var layout = StaticLayout.of(statics, options);
        decisions.addAll(layout.decisions());
        decisions.sort(comparing(EdgeDecision::edge, CANONICAL));
        return new WorkerPlan(worker, decisions, layout.plannedBytes(), layout.sumOfSizes(), layout.lowerBound());
    }

    private static int firstUse(GraphEdge edge) {
        return edge.lifetime() instanceof Lifetime.WithinStep(int first, int _) ? first : BEFORE_ALL_STEPS;
    }

    private static void requireDistinct(Collection<GraphEdge> edges) {
        var keys = new HashSet<RendezvousKey>();
        for (GraphEdge edge : edges) {
            if (!keys.add(edge.key())) {
                throw new IllegalArgumentException(
                        "edge " + edge.key() + " occurs twice; each tensor of a step needs its own key");
            }
        }
    }
}
