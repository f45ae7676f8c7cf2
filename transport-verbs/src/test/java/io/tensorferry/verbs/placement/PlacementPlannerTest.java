package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.tensorferry.api.DataType;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The places of static tensors.
@Timeout(20)
class PlacementPlannerTest {
    @Test
    void tensorsThatFollowEachOtherShareBytes() {
        PlacementPlan plan = Edges.planOneByOne(List.of(
                Edges.ofBytes("a", 640).during(0, 2),
                Edges.ofBytes("b", 640).during(3, 4),
                Edges.ofBytes("c", 320).during(5, 9)));

        assertThat(plan.decisions())
                .allSatisfy(
                        decision -> assertThat(((Static) decision).offset(0)).isZero());
        assertThat(Edges.only(plan).plannedBytes()).isEqualTo(640);
        assertThat(Edges.only(plan).sumOfSizes()).isEqualTo(1600);
        assertThat(Edges.only(plan).lowerBound()).isEqualTo(640);
    }

    @Test
    void anOperationHoldsWhatItConsumesAndWhatItProduces() {
        PlacementPlan plan = Edges.planOneByOne(List.of(
                Edges.ofBytes("in", 64).during(0, 5), Edges.ofBytes("out", 64).during(5, 9)));

        assertThat(Edges.only(plan).plannedBytes()).isEqualTo(128);
    }

    @Test
    void nothingIsSharedWhereStepsMayOverlap() {
        PlacementPlan plan = PlacementPlanner.plan(
                List.of(
                        Edges.ofBytes("a", 64).during(0, 1),
                        Edges.ofBytes("b", 64).during(7, 9)),
                PlacementOptions.defaults());

        assertThat(Edges.only(plan).plannedBytes()).isEqualTo(128);
        assertThat(Edges.only(plan).lowerBound())
                .as("all may be in use at one time")
                .isEqualTo(128);
    }

    @Test
    void whatIsKeptSharesWithNobody() {
        PlacementPlan plan = Edges.planOneByOne(List.of(
                Edges.ofBytes("a", 64).during(0, 1),
                Edges.ofBytes("kept", 64),
                Edges.ofBytes("b", 64).during(7, 9)));

        assertThat(Edges.place(plan, "kept").offset(0)).isZero();
        assertThat(Edges.place(plan, "a").offset(0)).isEqualTo(64);
        assertThat(Edges.place(plan, "b").offset(0)).isEqualTo(64);
    }

    @Test
    void stepsTakeTheTwoPlacesOfADoubleBufferInTurn() {
        PlacementPlan plan =
                Edges.planOneByOne(List.of(Edges.ofBytes("batch", 100).doubleBuffered()));
        Static batch = Edges.place(plan, "batch");

        assertThat(batch.offsets()).containsExactly(0L, 128L);
        assertThat(IntStream.range(0, 4).mapToLong(batch::offset)).containsExactly(0L, 128L, 0L, 128L);
        assertThat(Edges.only(plan).plannedBytes()).isEqualTo(256);
    }

    @Test
    void anEdgeMayHaveMorePlaces() {
        PlacementPlan plan =
                Edges.planOneByOne(List.of(Edges.ofBytes("micro", 64).withLifetime(new Lifetime.AcrossSteps(3))));

        assertThat(Edges.place(plan, "micro").offsets()).containsExactly(0L, 64L, 128L);
    }

    @Test
    void placesAreAlignedAndTheirSizesRoundedUp() {
        PlacementPlan plan = PlacementPlanner.plan(
                List.of(Edges.ofBytes("a", 1), Edges.ofBytes("b", 4097), Edges.ofBytes("c", 4096)),
                PlacementOptions.defaults().withAlignment(4096));

        assertThat(List.of("a", "b", "c"))
                .extracting(name -> Edges.place(plan, name).offset(0))
                .containsExactly(0L, 4096L, 12288L);
        assertThat(Edges.place(plan, "b").byteSize()).isEqualTo(4097);
        assertThat(Edges.only(plan).plannedBytes()).isEqualTo(16384);
    }

    @Test
    void aTensorNamesThoseWhoseBytesItTakesOver() {
        PlacementPlan plan = Edges.planOneByOne(List.of(
                Edges.ofBytes("a", 64).during(0, 1),
                Edges.ofBytes("b", 64).during(0, 2),
                Edges.ofBytes("both", 128).during(3, 4),
                Edges.ofBytes("after", 64).during(5, 5)));

        assertThat(Edges.place(plan, "a").takesOverFrom()).isEmpty();
        assertThat(Edges.place(plan, "both").takesOverFrom()).containsExactlyInAnyOrder(Edges.key("a"), Edges.key("b"));
        assertThat(Edges.place(plan, "after").takesOverFrom())
                .as("those before it were done when it began")
                .containsExactly(Edges.key("both"));
    }

    @Test
    void eachWorkerHasMemoryOfItsOwn() {
        PlacementPlan plan = Edges.planOneByOne(List.of(
                GraphEdge.of(Edges.key(1, 10, "x"), DataType.UINT8, 64),
                GraphEdge.of(Edges.key(0, 2, "x"), DataType.UINT8, 100),
                GraphEdge.of(Edges.key(0, 1, "x"), DataType.UINT8, 64),
                GraphEdge.ofUnknownShape(Edges.key(1, 0, "x"), DataType.UINT8)));

        assertThat(plan.workers())
                .as("by number, not by text")
                .extracting(WorkerPlan::worker, WorkerPlan::plannedBytes)
                .containsExactly(
                        tuple(Edges.workerName(0), 0L),
                        tuple(Edges.workerName(1), 64L),
                        tuple(Edges.workerName(2), 128L),
                        tuple(Edges.workerName(10), 64L));
        assertThat(plan.workers())
                .allSatisfy(worker -> assertThat(worker.ratio()).isEqualTo(1));
    }

    @Test
    void noEdgesMakeAnEmptyPlan() {
        PlacementPlan plan = PlacementPlanner.plan(List.of(), PlacementOptions.defaults());

        assertThat(plan.workers()).isEmpty();
        assertThat(plan.report()).startsWith("placement of 0 edges");
    }

    @Test
    void twoEdgesOfOneKeyAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Edges.planOneByOne(List.of(Edges.ofBytes("a", 1), Edges.ofBytes("a", 2))))
                .withMessage("edge " + Edges.key("a") + " occurs twice; each tensor of a step needs its own key");
    }

    @Test
    void anEdgeThatIsNotInThePlanIsNamed() {
        PlacementPlan plan = Edges.planOneByOne(List.of(Edges.ofBytes("a", 1)));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.decision(Edges.key("b")))
                .withMessage("edge " + Edges.key("b") + " is not one of the 1 edges of the plan");
    }

    @Test
    void bytesThatDoNotFitTogetherAreRefusedAtTheEdgeThatIsTooMuch() {
        List<GraphEdge> edges = List.of(Edges.ofBytes("a", 1L << 62), Edges.ofBytes("b", 1L << 62));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Edges.planOneByOne(edges))
                .withMessageStartingWith("edge " + Edges.key("b") + ": its 4611686018427387904 bytes and the"
                        + " 4611686018427387904 of other static tensors")
                .withMessageContaining("largestStaticBytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Edges.planOneByOne(List.of(Edges.ofBytes("a", Long.MAX_VALUE))))
                .withMessageContaining("63 bits");
    }

    /// A large graph. The timeout of the class bounds the time; the plan takes a second or two.
    @Test
    void manyTensorsArePlannedInBoundedTime() {
        var edges = new ArrayList<GraphEdge>();
        for (int i = 0; i < 3000; i++) {
            int first = (i * 7919) % 2400;
            edges.add(Edges.ofBytes("e" + i, 64L * (1 + (i * 31L) % 997)).during(first, first + (i * 13) % 300));
        }

        WorkerPlan worker = Edges.only(Edges.planOneByOne(edges));

        assertThat(worker.lowerBound()).isLessThan(worker.sumOfSizes() / 10);
        assertThat(worker.ratio()).isLessThan(1.15);
    }
}
