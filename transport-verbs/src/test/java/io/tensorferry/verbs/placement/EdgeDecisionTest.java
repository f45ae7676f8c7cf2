package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.verbs.placement.EdgeDecision.ByRendezvous;
import io.tensorferry.verbs.placement.EdgeDecision.Dynamic;
import io.tensorferry.verbs.placement.EdgeDecision.Obstacle;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which edges are static, dynamic or left to the rendezvous, and why.
@Timeout(10)
class EdgeDecisionTest {
    private static final RendezvousKey KEY = Edges.key("edge");
    private static final GraphEdge KNOWN = GraphEdge.of(KEY, DataType.FLOAT, 128, 256);

    private static EdgeDecision decide(GraphEdge edge) {
        return decide(edge, PlacementOptions.defaults());
    }

    private static EdgeDecision decide(GraphEdge edge, PlacementOptions options) {
        PlacementPlan plan = PlacementPlanner.plan(List.of(edge), options);
        assertThat(plan.decisions()).hasSize(1);
        EdgeDecision decision = plan.decision(edge.key());
        assertThat(decision.edge()).isEqualTo(edge);
        long bytes = Edges.only(plan).plannedBytes();
        assertThat(bytes > 0).as("only static edges take memory").isEqualTo(decision instanceof Static);
        return decision;
    }

    private static void assertRendezvous(GraphEdge edge, Obstacle obstacle, String why) {
        assertThat(decide(edge)).isEqualTo(new ByRendezvous(edge, obstacle, why));
    }

    @Test
    void aKnownShapeIsStatic() {
        assertThat(decide(KNOWN)).isEqualTo(new Static(KNOWN, 128 * 256 * 4, List.of(0L), List.of()));
        assertThat(decide(KNOWN).why()).isEqualTo("its shape is known before the first step");
    }

    @Test
    void aTensorWithoutElementsIsStaticAndTakesNoMemory() {
        GraphEdge empty = GraphEdge.of(KEY, DataType.FLOAT, 0, 256);
        PlacementPlan kept = PlacementPlanner.plan(List.of(empty), PlacementOptions.defaults());
        PlacementPlan within = Edges.planOneByOne(List.of(empty.during(0, 3)));

        assertThat(kept.decision(KEY)).isEqualTo(new Static(empty, 0, List.of(0L), List.of()));
        assertThat(within.decision(KEY)).isEqualTo(new Static(empty.during(0, 3), 0, List.of(0L), List.of()));
        assertThat(Edges.only(kept).plannedBytes()).isZero();
        assertThat(Edges.only(within).ratio()).isEqualTo(1);
    }

    @Test
    void anUnknownDimensionIsDynamicWithASlotForTheRank() {
        GraphEdge edge = GraphEdge.of(KEY, DataType.FLOAT, 128, -1, -1);

        assertThat(decide(edge)).isEqualTo(new Dynamic(edge, 3));
        assertThat(decide(edge).why()).isEqualTo("dimension 1 is not known before the step");
    }

    @Test
    void anUnknownRankIsDynamicWithASlotForTheLargestRank() {
        GraphEdge edge = GraphEdge.ofUnknownShape(KEY, DataType.FLOAT);

        assertThat(decide(edge)).isEqualTo(new Dynamic(edge, Shape.MAX_RANK));
        assertThat(decide(edge).why()).isEqualTo("nothing of its shape is known before the step");
    }

    @Test
    void bothEndsOnOneWorkerMeetInTheRendezvous() {
        var otherDevice = DeviceName.parse("/job:worker/replica:0/task:1/device:CPU:1");
        assertRendezvous(
                GraphEdge.of(RendezvousKey.of(otherDevice, Edges.worker(1), "edge"), DataType.FLOAT, 2),
                Obstacle.SAME_WORKER,
                "both ends are on this worker, which hands it over without a copy");
    }

    @Test
    void stringsAreLeftToTheRendezvousThoughTheirShapeIsKnown() {
        assertRendezvous(
                GraphEdge.of(KEY, DataType.STRING, 2), Obstacle.STRINGS, "the elements of STRING have no fixed size");
    }

    @Test
    void aValueThatMayBeDeadIsLeftToTheRendezvousWhateverItsShape() {
        String why = "it may be dead, and then has no content";
        assertRendezvous(KNOWN.thatMayBeDead(), Obstacle.MAY_BE_DEAD, why);
        assertRendezvous(GraphEdge.ofUnknownShape(KEY, DataType.FLOAT).thatMayBeDead(), Obstacle.MAY_BE_DEAD, why);
    }

    @Test
    void anEdgeInsideALoopIsLeftToTheRendezvous() {
        for (long[] position : new long[][] {{7, 0}, {0, 2}}) {
            assertRendezvous(
                    GraphEdge.of(
                            RendezvousKey.of(Edges.worker(0), 5, Edges.worker(1), "edge", position[0], position[1]),
                            DataType.FLOAT,
                            2),
                    Obstacle.IN_LOOP,
                    "it is in a loop (" + position[0] + ":" + position[1]
                            + "), and how often that runs is not known before the step");
        }
    }

    @Test
    void aTensorAboveTheLimitIsLeftToTheRendezvousAndOneAtItIsNot() {
        PlacementOptions limited = PlacementOptions.defaults().withLargestStaticBytes(1000);

        assertThat(decide(Edges.ofBytes("a", 1000), limited)).isInstanceOf(Static.class);
        GraphEdge larger = Edges.ofBytes("a", 1001);
        assertThat(decide(larger, limited))
                .isEqualTo(new ByRendezvous(larger, Obstacle.TOO_LARGE, "its 1,001 bytes are over the limit of 1,000"));
    }

    @Test
    void anUnknownShapeIsDynamicWhateverTheLimit() {
        assertThat(decide(
                        GraphEdge.of(KEY, DataType.FLOAT, -1),
                        PlacementOptions.defaults().withLargestStaticBytes(0)))
                .isInstanceOf(Dynamic.class);
    }
}
