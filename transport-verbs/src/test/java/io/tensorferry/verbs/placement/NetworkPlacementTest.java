package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Plans of the training of networks.
@Timeout(20)
class NetworkPlacementTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", "."), "..", "docs", "placement.md");

    /// Elements of the weights of VGG-16, layer by layer.
    private static final long[] VGG_16 = {
        1_728,
        36_864,
        73_728,
        147_456,
        294_912,
        589_824,
        589_824,
        1_179_648,
        2_359_296,
        2_359_296,
        2_359_296,
        2_359_296,
        2_359_296,
        102_760_448,
        16_777_216,
        4_096_000
    };

    @Test
    void aSmallNetworkNeedsNoMoreThanItsLowerBound() {
        PlacementPlan plan = Edges.planOneByOne(SmallNetwork.edges());

        assertThat(plan.workers()).hasSize(2).allSatisfy(worker -> {
            assertThat(worker.statics().filter(edge -> !edge.takesOverFrom().isEmpty()))
                    .as("gradients lie where activations lay")
                    .isNotEmpty();
            assertThat(worker.plannedBytes()).isEqualTo(worker.lowerBound()).isLessThan(worker.sumOfSizes());
        });
    }

    @Test
    void thePageShowsThePlanOfTheSmallNetwork() throws IOException {
        String report = Edges.planOneByOne(SmallNetwork.edges()).report();

        assertThat(Files.readString(PAGE)).contains(report);
    }

    /// Two workers push the gradients of each layer, from the last to the first; a parameter server adds each to its
    /// weights when both have arrived. It needs room for a few layers, not for all of them.
    @Test
    void aParameterServerNeedsRoomForAFewLayersOnly() {
        var edges = new ArrayList<GraphEdge>();
        for (int layer = VGG_16.length - 1; layer >= 0; layer--) {
            int written = 2 * (VGG_16.length - 1 - layer);
            for (int worker = 1; worker <= 2; worker++) {
                edges.add(GraphEdge.of(Edges.key(worker, 0, "gradient" + layer), DataType.FLOAT, VGG_16[layer])
                        .during(written, written + 2 + worker));
            }
        }

        WorkerPlan server = Edges.only(Edges.planOneByOne(edges));

        long largest = Arrays.stream(VGG_16).max().orElseThrow() * DataType.FLOAT.byteSize();
        long all = Arrays.stream(VGG_16).sum() * DataType.FLOAT.byteSize();
        assertThat(server.sumOfSizes()).isEqualTo(2 * all);
        assertThat(server.plannedBytes()).isEqualTo(server.lowerBound());
        assertThat(server.plannedBytes()).isBetween(2 * largest, 2 * all - 2 * all / 10);
    }
}
