package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.placement.TrueOptimum.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The distance of the heuristic from the true optimum, where that can be computed.
@Timeout(120)
class PlacementOptimumTest {
    private static final int UNIT = 64;

    /// Seven tensors of which at most 7 units are in use at one time, and which need 8: the smallest such sets known
    /// here have seven.
    private static final List<Block> WIDER_THAN_THE_LOWER_BOUND = List.of(
            new Block(3, 4, 4),
            new Block(3, 4, 7),
            new Block(4, 3, 3),
            new Block(2, 6, 6),
            new Block(2, 5, 8),
            new Block(4, 8, 8),
            new Block(1, 3, 5));

    private static WorkerPlan plan(List<Block> blocks) {
        var edges = new ArrayList<GraphEdge>();
        for (Block block : blocks) {
            edges.add(Edges.ofBytes("e" + edges.size(), (long) block.size() * UNIT)
                    .during(block.first(), block.last()));
        }
        return Edges.only(Edges.planOneByOne(edges));
    }

    /// The results of comparing many plans.
    private static final class Comparison {
        private int instances;
        private int optimal;
        private int hard;
        private double sumOfRatios;
        private double worst = 1;
        private List<Block> worstBlocks = List.of();

        void compare(List<Block> blocks) {
            int optimum = TrueOptimum.of(blocks);
            long units = plan(blocks).plannedBytes() / UNIT;
            assertThat(units).as("%s", blocks).isGreaterThanOrEqualTo(optimum);
            double ratio = (double) units / optimum;
            instances++;
            optimal += units == optimum ? 1 : 0;
            hard += TrueOptimum.inOrderOfTime(blocks) > optimum ? 1 : 0;
            sumOfRatios += ratio;
            if (ratio > worst) {
                worst = ratio;
                worstBlocks = blocks;
            }
        }

        double shareOptimal() {
            return (double) optimal / instances;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d instances, %d not solved by laying in the order of time; %d planned with the fewest bytes"
                            + " possible; bytes for each byte of the optimum: %.5f in the mean, %.3f at worst %s",
                    instances,
                    hard,
                    optimal,
                    sumOfRatios / instances,
                    worst,
                    worstBlocks);
        }
    }

    /// Every set of up to four tensors of one to three units within four positions.
    @Test
    void upToFourTensorsAreAlwaysPlannedBest() {
        var kinds = new ArrayList<Block>();
        for (int size = 1; size <= 3; size++) {
            for (int first = 0; first < 4; first++) {
                for (int last = first; last < 4; last++) {
                    kinds.add(new Block(size, first, last));
                }
            }
        }
        var comparison = new Comparison();
        addAll(kinds, 0, 4, List.of(), comparison);
        System.out.println("all sets of up to four tensors: " + comparison);

        assertThat(comparison.instances).as("all of them").isEqualTo(46_375);
        assertThat(comparison.hard).as("of which some take thought").isGreaterThan(1000);
        assertThat(comparison.optimal).as("%s", comparison).isEqualTo(comparison.instances);
    }

    private static void addAll(List<Block> kinds, int from, int room, List<Block> chosen, Comparison comparison) {
        if (!chosen.isEmpty()) {
            comparison.compare(chosen);
        }
        for (int kind = from; room > 0 && kind < kinds.size(); kind++) {
            var more = new ArrayList<>(chosen);
            more.add(kinds.get(kind));
            addAll(kinds, kind, room - 1, more, comparison);
        }
    }

    /// Seven tensors have 5,040 orders, and chance makes them harder than a network does.
    @Test
    void sevenTensorsAreNearlyAlwaysPlannedBest() {
        var comparison = new Comparison();
        for (int seed = 0; seed < 3000; seed++) {
            comparison.compare(random(new Random(seed), 7, 8, 9));
        }
        System.out.println("random sets of seven tensors: " + comparison);

        assertThat(comparison.hard).as("of which many take thought").isGreaterThan(500);
        assertThat(comparison.shareOptimal()).as("%s", comparison).isGreaterThan(0.99);
        assertThat(comparison.worst).as("%s", comparison).isLessThan(1.2);
    }

    private static List<Block> random(Random random, int count, int positions, int largest) {
        var blocks = new ArrayList<Block>();
        for (int i = 0; i < count; i++) {
            int first = random.nextInt(positions);
            int last = first + random.nextInt(positions - first);
            blocks.add(new Block(1 + random.nextInt(largest), first, last));
        }
        return blocks;
    }

    /// Sets too large to search are compared with the lower bound, which may itself be unreachable.
    @Test
    void aHundredTensorsComeNearTheLowerBound() {
        int sets = 50;
        double sum = 0;
        double worst = 1;
        for (int seed = 0; seed < sets; seed++) {
            WorkerPlan worker = plan(random(new Random(seed), 100, 80, 1000));
            assertThat(worker.lowerBound()).isLessThan(worker.sumOfSizes());
            sum += worker.ratio();
            worst = Math.max(worst, worker.ratio());
        }
        System.out.printf(
                Locale.ROOT,
                "random sets of 100 tensors: bytes for each byte of the lower bound: %.4f in the mean, %.3f at worst%n",
                sum / sets,
                worst);

        assertThat(sum / sets).isLessThan(1.03);
        assertThat(worst).isLessThan(1.15);
    }

    @Test
    void theLowerBoundCannotAlwaysBeReached() {
        WorkerPlan worker = plan(WIDER_THAN_THE_LOWER_BOUND);

        assertThat(worker.lowerBound()).isEqualTo(7 * UNIT);
        assertThat(TrueOptimum.of(WIDER_THAN_THE_LOWER_BOUND)).isEqualTo(8);
        assertThat(worker.plannedBytes()).isEqualTo(8 * UNIT);
    }
}
