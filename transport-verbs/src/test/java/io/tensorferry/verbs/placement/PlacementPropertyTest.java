package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.testing.Draw;
import io.tensorferry.testing.Property;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import io.tensorferry.verbs.placement.Lifetime.AcrossSteps;
import io.tensorferry.verbs.placement.Lifetime.WithinStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Properties of every plan, checked without the planner's own arithmetic.
class PlacementPropertyTest {
    private static final int LAST_POSITION = 30;

    private static List<GraphEdge> edges(Draw draw) {
        return named(draw.list(0, 40, () -> {
            int consumer = new int[] {1, 2, 0}[draw.weighted(5, 2, 1)];
            DataType type = new DataType[] {DataType.FLOAT, DataType.UINT8, DataType.STRING}[draw.weighted(8, 4, 1)];
            return GraphEdge.of(Edges.key(0, consumer, "e"), type, shape(draw)).withLifetime(lifetime(draw));
        }));
    }

    private static long[] shape(Draw draw) {
        return switch (draw.weighted(12, 4, 1)) {
            case 0 -> new long[] {draw.longOf(1, 5000)};
            case 1 -> {
                long side = draw.longOf(1, 40);
                yield new long[] {side, side};
            }
            default -> new long[] {draw.of(0L, -1L)};
        };
    }

    private static Lifetime lifetime(Draw draw) {
        if (draw.weighted(9, 1) == 1) {
            return new AcrossSteps(draw.intOf(1, 3));
        }
        int a = draw.intOf(0, LAST_POSITION);
        int b = draw.intOf(0, LAST_POSITION);
        return new WithinStep(Math.min(a, b), Math.max(a, b));
    }

    private static List<GraphEdge> named(List<GraphEdge> edges) {
        var named = new ArrayList<GraphEdge>();
        for (GraphEdge edge : edges) {
            RendezvousKey key = RendezvousKey.of(edge.key().source(), edge.key().destination(), "e" + named.size());
            named.add(new GraphEdge(key, edge.dataType(), edge.shape(), edge.lifetime(), edge.mayBeDead()));
        }
        return named;
    }

    private static PlacementOptions options(Draw draw) {
        return new PlacementOptions(
                draw.weighted(4, 1) == 0 ? StepOrder.ONE_BY_ONE : StepOrder.OVERLAPPING,
                draw.of(8L, 64L, 4096L),
                draw.weighted(4, 1) == 0 ? PlacementOptions.UNLIMITED : 4000L);
    }

    /// One place of a static tensor, with the padding behind it.
    private record Place(Static tensor, long start, long end) {
        boolean sharesBytesWith(Place other) {
            return start < other.end && other.start < end;
        }
    }

    private static List<Place> places(WorkerPlan worker, PlacementOptions options) {
        var places = new ArrayList<Place>();
        worker.statics()
                .forEach(tensor -> tensor.offsets().forEach(offset -> {
                    long alignment = options.alignment();
                    long size = (tensor.byteSize() + alignment - 1) / alignment * alignment;
                    places.add(new Place(tensor, offset, offset + size));
                }));
        return places;
    }

    private static boolean aliveAt(Static tensor, int position, PlacementOptions options) {
        return switch (tensor.edge().lifetime()) {
            case AcrossSteps _ -> true;
            case WithinStep(int first, int last) ->
                options.steps() == StepOrder.OVERLAPPING || (first <= position && position <= last);
        };
    }

    private static boolean aliveTogether(Static one, Static other, PlacementOptions options) {
        for (int position = 0; position <= LAST_POSITION; position++) {
            if (aliveAt(one, position, options) && aliveAt(other, position, options)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void tensorsThatAreAliveTogetherShareNoByte() {
        var tried = new AtomicInteger();
        var shared = new AtomicInteger();
        Property.check(300, draw -> {
            tried.incrementAndGet();
            shared.addAndGet(assertThoseAliveTogetherShareNoByte(edges(draw), options(draw)) ? 1 : 0);
        });
        assertThat(100.0 * shared.get() / tried.get())
                .as("percent of the plans in which bytes are shared")
                .isGreaterThan(30);
    }

    /// Returns whether any tensors share bytes.
    private static boolean assertThoseAliveTogetherShareNoByte(List<GraphEdge> edges, PlacementOptions options) {
        boolean shared = false;
        for (WorkerPlan worker : PlacementPlanner.plan(edges, options).workers()) {
            List<Place> places = places(worker, options);
            for (int i = 0; i < places.size(); i++) {
                for (int j = 0; j < i; j++) {
                    if (places.get(i).sharesBytesWith(places.get(j))) {
                        shared = true;
                        assertThat(aliveTogether(
                                        places.get(i).tensor(), places.get(j).tensor(), options))
                                .as("%s and %s", places.get(i), places.get(j))
                                .isFalse();
                    }
                }
            }
        }
        return shared;
    }

    @Test
    void placesAreAlignedAndInsideAndTheSumsAreRight() {
        Property.check(300, draw -> assertAlignedAndInsideAndTheSumsAreRight(edges(draw), options(draw)));
    }

    private static void assertAlignedAndInsideAndTheSumsAreRight(List<GraphEdge> edges, PlacementOptions options) {
        for (WorkerPlan worker : PlacementPlanner.plan(edges, options).workers()) {
            List<Place> places = places(worker, options);
            long sum = 0;
            long highest = 0;
            for (Place place : places) {
                assertThat(place.start() % options.alignment()).isZero();
                assertThat(place.start()).isNotNegative();
                sum += place.end() - place.start();
                highest = Math.max(highest, place.end());
            }
            long greatest = 0;
            for (int position = 0; position <= LAST_POSITION; position++) {
                long alive = 0;
                for (Place place : places) {
                    alive += aliveAt(place.tensor(), position, options) ? place.end() - place.start() : 0;
                }
                greatest = Math.max(greatest, alive);
            }
            assertThat(worker.plannedBytes()).isEqualTo(highest);
            assertThat(worker.sumOfSizes()).isEqualTo(sum);
            assertThat(worker.lowerBound()).isEqualTo(greatest);
            assertThat(worker.plannedBytes()).isBetween(greatest, sum);
        }
    }

    @Test
    void everyEdgeIsDecidedOnceAndWhateverTheOrderOfTheInput() {
        Property.check(
                200,
                draw -> assertDecidedOnceAndWhateverTheOrder(edges(draw), options(draw), new Random(draw.anyLong())));
    }

    private static void assertDecidedOnceAndWhateverTheOrder(
            List<GraphEdge> edges, PlacementOptions options, Random random) {
        PlacementPlan plan = PlacementPlanner.plan(edges, options);
        var shuffled = new ArrayList<>(edges);
        Collections.shuffle(shuffled, random);
        PlacementPlan other = PlacementPlanner.plan(shuffled, options);

        assertThat(plan.decisions().map(EdgeDecision::edge)).containsExactlyInAnyOrderElementsOf(edges);
        assertThat(other.workers()).isEqualTo(plan.workers());
        assertThat(other.report()).isEqualTo(plan.report());
    }

    /// A tensor names, directly or through the tensors that it names, every earlier tensor of the step that had its
    /// bytes, and no other.
    @Test
    void aTensorNamesAllWhoseBytesItTakesOver() {
        Property.check(300, draw -> assertEachNamesAllWhoseBytesItTakesOver(edges(draw)));
    }

    private static void assertEachNamesAllWhoseBytesItTakesOver(List<GraphEdge> edges) {
        PlacementOptions options = PlacementOptions.defaults().withSteps(StepOrder.ONE_BY_ONE);
        PlacementPlan plan = PlacementPlanner.plan(edges, options);
        for (WorkerPlan worker : plan.workers()) {
            List<Place> places = places(worker, options);
            for (Place later : places) {
                Set<RendezvousKey> named = withPredecessors(plan, later.tensor());
                for (Place earlier : places) {
                    boolean before = isBefore(earlier.tensor(), later.tensor());
                    boolean shares = earlier.sharesBytesWith(later);
                    RendezvousKey key = earlier.tensor().edge().key();
                    assertThat(named.contains(key) || !(before && shares)).isTrue();
                    assertThat(!later.tensor().takesOverFrom().contains(key) || (before && shares))
                            .isTrue();
                }
            }
        }
    }

    private static Set<RendezvousKey> withPredecessors(PlacementPlan plan, Static tensor) {
        var found = new HashSet<RendezvousKey>();
        var open = new ArrayDeque<>(tensor.takesOverFrom());
        while (!open.isEmpty()) {
            RendezvousKey key = open.pop();
            if (found.add(key)) {
                open.addAll(((Static) plan.decision(key)).takesOverFrom());
            }
        }
        return found;
    }

    private static boolean isBefore(Static earlier, Static later) {
        return earlier.edge().lifetime() instanceof WithinStep(int _, int last)
                && later.edge().lifetime() instanceof WithinStep(int first, int _)
                && last < first;
    }
}
