package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.verbs.placement.EdgeDecision.ByRendezvous;
import io.tensorferry.verbs.placement.EdgeDecision.Dynamic;
import io.tensorferry.verbs.placement.EdgeDecision.Obstacle;
import java.util.Locale;
import java.util.Optional;

/// Determines the edges that cannot be static. Stateless; any thread.
final class DecisionRules {
    private DecisionRules() {}

    /// Returns the decision for `edge` if it is not static, otherwise empty. The first rule that applies decides.
    static Optional<EdgeDecision> otherThanStatic(GraphEdge edge, PlacementOptions options) {
        return rendezvous(edge).or(() -> switch (edge.shape()) {
            case EdgeShape.Known _ -> tooLarge(edge, options.largestStaticBytes());
            case EdgeShape.Partial(var dimensions) -> Optional.of(new Dynamic(edge, dimensions.size()));
            case EdgeShape.Unknown _ -> Optional.of(new Dynamic(edge, Shape.MAX_RANK));
        });
    }

    private static Optional<EdgeDecision> rendezvous(GraphEdge edge) {
        RendezvousKey key = edge.key();
        if (key.source().worker().equals(key.destination().worker())) {
            return no(edge, Obstacle.SAME_WORKER, "both ends are on this worker, which hands it over without a copy");
        }
        if (!edge.dataType().isDmaAble()) {
            return no(edge, Obstacle.STRINGS, "the elements of " + edge.dataType() + " have no fixed size");
        }
        if (key.frameId() != 0 || key.iterationId() != 0) {
            return no(
                    edge,
                    Obstacle.IN_LOOP,
                    "it is in a loop (" + key.frameId() + ":" + key.iterationId()
                            + "), and how often that runs is not known before the step");
        }
        return edge.mayBeDead()
                ? no(edge, Obstacle.MAY_BE_DEAD, "it may be dead, and then has no content")
                : Optional.empty();
    }

    private static Optional<EdgeDecision> tooLarge(GraphEdge edge, long limit) {
        long bytes = edge.byteSize().orElseThrow();
        return bytes > limit
                ? no(
                        edge,
                        Obstacle.TOO_LARGE,
                        String.format(Locale.ROOT, "its %,d bytes are over the limit of %,d", bytes, limit))
                : Optional.empty();
    }

    private static Optional<EdgeDecision> no(GraphEdge edge, Obstacle obstacle, String why) {
        return Optional.of(new ByRendezvous(edge, obstacle, why));
    }
}
