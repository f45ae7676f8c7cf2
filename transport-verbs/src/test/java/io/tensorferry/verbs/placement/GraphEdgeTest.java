package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The properties of an edge, and the messages for refused ones.
@Timeout(10)
class GraphEdgeTest {
    private static final String NAME = "edge " + Edges.key("weights") + ": ";

    @Test
    void anEdgeIsKeptUnlessItSaysWhenItIsInUse() {
        GraphEdge edge = GraphEdge.of(Edges.key("weights"), DataType.FLOAT, 2, 3);

        assertThat(edge.lifetime()).isEqualTo(Lifetime.KEPT);
        assertThat(edge.mayBeDead()).isFalse();
        assertThat(edge.byteSize()).hasValue(24);
        assertThat(edge.during(3, 9).lifetime()).isEqualTo(new Lifetime.WithinStep(3, 9));
        assertThat(edge.doubleBuffered().lifetime()).isEqualTo(new Lifetime.AcrossSteps(2));
        assertThat(edge.thatMayBeDead().mayBeDead()).isTrue();
    }

    @Test
    void noDimensionAtAllIsAScalar() {
        assertThat(GraphEdge.of(Edges.key("loss"), DataType.DOUBLE).byteSize()).hasValue(8);
    }

    @Test
    void theBytesOfAnUnknownShapeAndOfStringsAreNotKnown() {
        assertThat(GraphEdge.of(Edges.key("batch"), DataType.FLOAT, -1, 3).byteSize())
                .isEmpty();
        assertThat(GraphEdge.ofUnknownShape(Edges.key("batch"), DataType.FLOAT).byteSize())
                .isEmpty();
        assertThat(GraphEdge.of(Edges.key("labels"), DataType.STRING, 3).byteSize())
                .isEmpty();
    }

    @Test
    void aShapeIsPrintedAsPeopleWriteIt() {
        assertThat(EdgeShape.of(2, 3)).hasToString("[2, 3]");
        assertThat(EdgeShape.of()).hasToString("[]");
        assertThat(EdgeShape.of(-1, 3)).hasToString("[?, 3]");
        assertThat(EdgeShape.unknown()).hasToString("of unknown shape");
    }

    @Test
    void aShapeThatIsNoneIsRefusedWithTheNameOfTheEdge() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GraphEdge.of(Edges.key("weights"), DataType.FLOAT, 5, -2))
                .withMessage(NAME + "dimension 1 of [5, -2] must be 0 or more, or -1 where it is not known");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GraphEdge.of(Edges.key("weights"), DataType.FLOAT, new long[Shape.MAX_RANK + 1]))
                .withMessage(NAME + "rank 255 is over the limit of 254");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeShape.Partial(Collections.nCopies(Shape.MAX_RANK + 1, -1L)))
                .withMessageContaining("rank 255");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeShape.Partial(List.of(1L, 2L)))
                .withMessageContaining("every dimension of [1, 2] is known");
    }

    @Test
    void bytesThatDoNotFitAreRefusedWithTheNameOfTheEdge() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GraphEdge.of(Edges.key("weights"), DataType.FLOAT, 1L << 62))
                .withMessageStartingWith(NAME)
                .withMessageContaining("do not fit in 63 bits");
    }

    @Test
    void aLifetimeThatIsNoneIsRefusedWithTheNameOfTheEdge() {
        GraphEdge edge = GraphEdge.of(Edges.key("weights"), DataType.FLOAT, 2, 3);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> edge.during(9, 3))
                .withMessage(
                        NAME + "a lifetime from position 9 to 3 is invalid: the first use must be 0 or more, and the"
                                + " last not before it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> edge.during(-1, 3))
                .withMessageContaining("position -1 to 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Lifetime.AcrossSteps(0))
                .withMessage("places 0 must be 1 to 16");
        assertThatIllegalArgumentException().isThrownBy(() -> new Lifetime.AcrossSteps(17));
    }

    @Test
    void optionsOutOfTheirRangeAreRefused() {
        PlacementOptions options = PlacementOptions.defaults();

        assertThat(options.steps()).as("the safe one").isEqualTo(StepOrder.OVERLAPPING);
        for (long alignment : new long[] {0, 4, 63, 96, 4L << 20, -64, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withAlignment(alignment))
                    .withMessage("alignment " + alignment + " must be a power of two from 8 to 2097152");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withLargestStaticBytes(-1))
                .withMessage("largestStaticBytes -1 must be 0 or more");
    }
}
