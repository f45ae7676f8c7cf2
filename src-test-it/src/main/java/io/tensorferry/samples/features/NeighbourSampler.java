package io.tensorferry.samples.features;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

/// Draws the neighbourhoods of some nodes, as GraphSAGE does it (Hamilton, Ying and Leskovec, NeurIPS 2017): so many
/// neighbours of each, so many of each of those, and so on.
///
/// Owner: one thread.
final class NeighbourSampler {
    private final RmatGraph graph;
    private final int[] fanOuts;
    private final Random random;

    /// @param fanOuts how many neighbours are drawn in each hop
    NeighbourSampler(RmatGraph graph, long seed, int... fanOuts) {
        this.graph = graph;
        this.fanOuts = fanOuts.clone();
        this.random = new Random(seed);
    }

    /// The nodes whose features a batch needs, each once: those that it begins with, in front, and what was
    /// drawn, in the order in which it was drawn.
    ///
    /// @param seeds how many nodes the batch begins with
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
