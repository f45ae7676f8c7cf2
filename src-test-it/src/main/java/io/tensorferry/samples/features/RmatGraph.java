package io.tensorferry.samples.features;

import java.util.Arrays;
import java.util.Random;

/// A synthetic directed graph drawn by R-MAT: Chakrabarti, Zhan and Faloutsos, "R-MAT: A Recursive Model for Graph
/// Mining" (SDM 2004), with the probabilities of the Graph500 benchmark. As in real graphs, few nodes have very many
/// neighbours; these nodes have low numbers here.
///
/// Immutable.
final class RmatGraph {
    // The probabilities of the quadrants of the adjacency matrix, at each level of its recursion; the fourth is the
    // remainder.
    private static final double A = 0.57;
    private static final double B = 0.19;
    private static final double C = 0.19;

    // The neighbours of node n are targets[firsts[n]] up to targets[firsts[n + 1] - 1].
    private final int[] firsts;
    private final int[] targets;

    private RmatGraph(int[] firsts, int[] targets) {
        this.firsts = firsts;
        this.targets = targets;
    }

    /// @param scale the graph has 2^scale nodes, 1 to 24
    /// @param edgesPerNode the average number per node; edges may be duplicates
    static RmatGraph draw(int scale, int edgesPerNode, long seed) {
        var random = new Random(seed);
        int nodes = 1 << scale;
        int edges = Math.multiplyExact(nodes, edgesPerNode);
        int[] from = new int[edges];
        int[] to = new int[edges];
        int[] firsts = new int[nodes + 1];
        for (int edge = 0; edge < edges; edge++) {
            for (int level = 0; level < scale; level++) {
                double drawn = random.nextDouble();
                boolean lower = drawn >= A + B;
                boolean right = lower ? drawn >= A + B + C : drawn >= A;
                from[edge] = from[edge] << 1 | (lower ? 1 : 0);
                to[edge] = to[edge] << 1 | (right ? 1 : 0);
            }
            firsts[from[edge] + 1]++;
        }
        Arrays.parallelPrefix(firsts, Integer::sum);
        int[] targets = new int[edges];
        int[] next = firsts.clone();
        for (int edge = 0; edge < edges; edge++) {
            targets[next[from[edge]]++] = to[edge];
        }
        return new RmatGraph(firsts, targets);
    }

    int nodes() {
        return firsts.length - 1;
    }

    int degree(int node) {
        return firsts[node + 1] - firsts[node];
    }

    int neighbour(int node, int index) {
        return targets[firsts[node] + index];
    }
}
