package io.tensorferry.samples.features;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

/// Samples the neighbourhoods of nodes as GraphSAGE does (Hamilton, Ying and Leskovec, NeurIPS 2017): a fixed number of
/// neighbours of each node, then of each of those, for each hop.
///
/// Owner: one thread.
final class NeighbourSampler {
    private final RmatGraph graph;
    private final int[] fanOuts;
    private final Random random;

    /// @param fanOuts the number of neighbours drawn per node in each hop
    NeighbourSampler(RmatGraph graph, long seed, int... fanOuts) {
        this.graph = graph;
        this.fanOuts = fanOuts.clone();
        this.random = new Random(seed);
    }

    /// Draws the nodes whose features a batch needs, without duplicates: first the batch's seeds, then the sampled
    /// nodes in the order of drawing.
    ///
    /// @param seeds the number of nodes with which the batch begins
    long[] draw(int seeds) {
        var seen = new BitSet(graph.nodes());
        long[] nodes = new long[seeds];
        int count = 0;
        for (int i = 0; i < seeds; i++) {
            int node = random.nextInt(graph.nodes());
            if (!seen.get(node)) {
                seen.set(node);
                nodes[count++] = node;
            }
        }
        int hopBegins = 0;
        for (int fanOut : fanOuts) {
            int hopEnds = count;
            for (int i = hopBegins; i < hopEnds; i++) {
                int node = (int) nodes[i];
                int degree = graph.degree(node);
                for (int draw = 0; draw < Math.min(fanOut, degree); draw++) {
                    int neighbour = graph.neighbour(node, random.nextInt(degree));
                    if (!seen.get(neighbour)) {
                        seen.set(neighbour);
                        if (count == nodes.length) {
                            nodes = Arrays.copyOf(nodes, 2 * count);
                        }
                        nodes[count++] = neighbour;
                    }
                }
            }
            hopBegins = hopEnds;
        }
        return Arrays.copyOf(nodes, count);
    }
}
