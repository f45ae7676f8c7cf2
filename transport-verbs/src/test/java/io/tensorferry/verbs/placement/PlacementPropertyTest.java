package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
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
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/// What holds for every plan, judged without the planner's own arithmetic.
class PlacementPropertyTest {
    private static final int LAST_POSITION = 30;

    @Provide
    Arbitrary<List<GraphEdge>> edges() {
        Arbitrary<long[]> shapes = Arbitraries.frequencyOf(
                Tuple.of(12, Arbitraries.longs().between(1, 5000).map(size -> new long[] {size})),
                Tuple.of(4, Arbitraries.longs().between(1, 40).map(side -> new long[] {side, side})),
                Tuple.of(1, Arbitraries.of(0L, -1L).map(size -> new long[] {size})));
        Arbitrary<Lifetime> within = Combinators.combine(
                        Arbitraries.integers().between(0, LAST_POSITION),
                        Arbitraries.integers().between(0, LAST_POSITION))
                .as((a, b) -> new WithinStep(Math.min(a, b), Math.max(a, b)));
        Arbitrary<Lifetime> across = Arbitraries.integers().between(1, 3).map(AcrossSteps::new);
        Arbitrary<Lifetime> lifetimes = Arbitraries.frequencyOf(Tuple.of(9, within), Tuple.of(1, across));
        Arbitrary<DataType> types = Arbitraries.frequency(
                Tuple.of(8, DataType.FLOAT), Tuple.of(4, DataType.UINT8), Tuple.of(1, DataType.STRING));
        Arbitrary<Integer> consumers = Arbitraries.frequency(Tuple.of(5, 1), Tuple.of(2, 2), Tuple.of(1, 0));
        return Combinators.combine(consumers, types, shapes, lifetimes)
                .as((consumer, type, shape, lifetime) ->
                        GraphEdge.of(Edges.key(0, consumer, "e"), type, shape).withLifetime(lifetime))
                .list()
                .ofMaxSize(40)
                .map(PlacementPropertyTest::named);
    }

    private static List<GraphEdge> named(List<GraphEdge> edges) {
        var named = new ArrayList<GraphEdge>();
        for (GraphEdge edge : edges) {
            RendezvousKey key = RendezvousKey.of(edge.key().source(), edge.key().destination(), "e" + named.size());
            named.add(new GraphEdge(key, edge.dataType(), edge.shape(), edge.lifetime(), edge.mayBeDead()));
        }
        return named;
    }

    @Provide
    Arbitrary<PlacementOptions> options() {
        return Combinators.combine(
                        Arbitraries.frequency(Tuple.of(4, StepOrder.ONE_BY_ONE), Tuple.of(1, StepOrder.OVERLAPPING)),
                        Arbitraries.of(8L, 64L, 4096L),
                        Arbitraries.frequency(Tuple.of(4, PlacementOptions.UNLIMITED), Tuple.of(1, 4000L)))
                .as(PlacementOptions::new);
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

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void tensorsThatAreAliveTogetherShareNoByte(
            @ForAll("edges") List<GraphEdge> edges, @ForAll("options") PlacementOptions options) {
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
        Statistics.label("bytes are shared").collect(shared);
        Statistics.label("bytes are shared")
                .coverage(coverage -> coverage.check(true).percentage(percentage -> percentage > 30));
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void placesAreAlignedAndInsideAndTheSumsAreRight(
            @ForAll("edges") List<GraphEdge> edges, @ForAll("options") PlacementOptions options) {
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

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void everyEdgeIsDecidedOnceAndWhateverTheOrderOfTheInput(
            @ForAll("edges") List<GraphEdge> edges,
            @ForAll("options") PlacementOptions options,
            @ForAll Random random) {
        PlacementPlan plan = PlacementPlanner.plan(edges, options);
        var shuffled = new ArrayList<>(edges);
        Collections.shuffle(shuffled, random);
        PlacementPlan other = PlacementPlanner.plan(shuffled, options);

        assertThat(plan.decisions().map(EdgeDecision::edge)).containsExactlyInAnyOrderElementsOf(edges);
        assertThat(other.workers()).isEqualTo(plan.workers());
        assertThat(other.report()).isEqualTo(plan.report());
    }

    /// Whoever has had bytes of a tensor before it in the step is named by it, or by one that it names, and so on; and
    /// nobody else is named.
    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void aTensorNamesAllWhoseBytesItTakesOver(@ForAll("edges") List<GraphEdge> edges) {
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
