package io.tensorferry.samples.features;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FeatureCollectionTest {
    private static FeatureCollection.Outcome collect(String... arguments) {
        var collection = new FeatureCollection();
        new CommandLine(collection).parseArgs(arguments);
        return collection.collect();
    }

    @Test
    void everyNodeOfABatchGetsItsFeatures() {
        FeatureCollection.Outcome plain =
                collect("--scale=12", "--columns=33", "--batches=3", "--seeds=200", "--cached=0");
        assertThat(plain.rows()).isGreaterThan(3 * 200);
        assertThat(plain.remoteRows()).isPositive();
        assertThat(plain.reads()).isBetween(1L, plain.remoteRows());
        FeatureCollection.Outcome cached =
                collect("--scale=12", "--columns=33", "--batches=3", "--seeds=200", "--cached=2048");
        // The collecting worker has a third of the nodes, and then a half: those with most neighbours.
        assertThat(cached.remoteRows()).isLessThan(plain.remoteRows());
    }

    @Test
    void aFewNodesHaveMostNeighbours() {
        RmatGraph graph = RmatGraph.draw(12, 16, 5);
        int[] degrees = new int[graph.nodes()];
        for (int node = 0; node < degrees.length; node++) {
            degrees[node] = graph.degree(node);
        }
        assertThat(Arrays.stream(degrees).sum()).isEqualTo(16 << 12);
        int ofTheFirst = Arrays.stream(degrees).limit(graph.nodes() / 10).sum();
        assertThat(ofTheFirst).isGreaterThan((16 << 12) * 4 / 10);
    }

    @Test
    void aBatchHasEachNodeOnceAndOnlyNeighbours() {
        RmatGraph graph = RmatGraph.draw(10, 8, 5);
        long[] nodes = new NeighbourSampler(graph, 1, 4, 3).draw(50);
        assertThat(nodes).doesNotHaveDuplicates();
        assertThat(nodes.length).isBetween(51, 50 * (1 + 4 + 12));
        for (long node : nodes) {
            assertThat(node).isBetween(0L, 1023L);
        }
    }
}
