package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.placement.EdgeDecision.ByRendezvous;
import io.tensorferry.verbs.placement.EdgeDecision.Dynamic;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Formats a plan for people: its options, and a table with totals for each worker. Stateless; any thread.
final class PlanReport {
    private static final List<Boolean> FLUSH_RIGHT = List.of(false, true, true, false, false, false, false, false);
    private static final String NONE = "-";

    private PlanReport() {}

    static String of(PlacementPlan plan) {
        var text = new StringBuilder(summary(plan)).append('\n');
        for (WorkerPlan worker : plan.workers()) {
            text.append('\n').append(worker.worker()).append(" receives\n").append(table(worker));
            text.append("  ").append(sums(worker)).append('\n');
        }
        return text.toString();
    }

    static String summary(PlacementPlan plan) {
        long edges = plan.decisions().count();
        return "placement of " + edges + (edges == 1 ? " edge: " : " edges: ") + count(plan, Static.class)
                + " static, " + count(plan, Dynamic.class) + " dynamic, " + count(plan, ByRendezvous.class)
                + " by rendezvous\n"
                + plan.options().steps() + "; offsets are multiples of "
                + plan.options().alignment();
    }

    private static String table(WorkerPlan worker) {
        var table = new TextTable(FLUSH_RIGHT);
        table.row("edge", "offset", "bytes", "in use", "way", "tensor", "from", "why");
        for (EdgeDecision decision : worker.decisions()) {
            GraphEdge edge = decision.edge();
            table.row(
                    edge.key().edgeName(),
                    offsets(decision),
                    edge.byteSize().isPresent() ? number(edge.byteSize().getAsLong()) : NONE,
                    decision instanceof Static ? edge.lifetime().toString() : NONE,
                    way(decision),
                    edge.dataType() + " " + edge.shape(),
                    edge.key().source().toString(),
                    decision.why() + takesOver(decision));
        }
        return table.toString();
    }

    private static String sums(WorkerPlan worker) {
        return String.format(
                Locale.ROOT,
                "planned %,d bytes; sum of sizes %,d, lower bound %,d, ratio to it %.3f",
                worker.plannedBytes(),
                worker.sumOfSizes(),
                worker.lowerBound(),
                worker.ratio());
    }

    private static String way(EdgeDecision decision) {
        return switch (decision) {
            case Static _ -> "static";
            case Dynamic _ -> "dynamic";
            case ByRendezvous _ -> "rendezvous";
        };
    }

    private static String offsets(EdgeDecision decision) {
        return decision instanceof Static place
                ? place.offsets().stream().map(PlanReport::number).collect(Collectors.joining(" and "))
                : NONE;
    }

    private static String takesOver(EdgeDecision decision) {
        return decision instanceof Static place && !place.takesOverFrom().isEmpty()
                ? place.takesOverFrom().stream()
                        .map(RendezvousKey::edgeName)
                        .collect(Collectors.joining(", ", "; takes over from ", ""))
                : "";
    }

    private static long count(PlacementPlan plan, Class<? extends EdgeDecision> way) {
        return plan.decisions().filter(way::isInstance).count();
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
