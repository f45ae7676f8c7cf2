package io.tensorferry.verbs.placement;

import io.tensorferry.api.DataType;
import java.util.ArrayList;
import java.util.List;

/// Six fully connected layers, trained in batches of 128, that two workers have in turn: worker 0 the layers 1, 3 and
/// 5, worker 1 the layers 2, 4 and 6. So all that flows between layers flows between workers.
///
/// Layer n runs forward at position n and backward at position 13 - n. The next layer needs its forward output
/// twice: forward, and again backward, for the gradient of that layer's weights.
final class SmallNetwork {
    private static final int LAYERS = 6;
    private static final int BATCH = 128;

    /// The output widths of layer 1, 2, ...
    private static final int[] WIDTHS = {512, 512, 256, 256, 128};

    private SmallNetwork() {}

    static List<GraphEdge> edges() {
        var edges = new ArrayList<GraphEdge>();
        for (int layer = 1; layer < LAYERS; layer++) {
            int here = worker(layer);
            int next = worker(layer + 1);
            int width = WIDTHS[layer - 1];
            edges.add(GraphEdge.of(Edges.key(here, next, "activation" + layer), DataType.FLOAT, BATCH, width)
                    .during(forward(layer), backward(layer + 1)));
            edges.add(GraphEdge.of(Edges.key(next, here, "gradient" + layer), DataType.FLOAT, BATCH, width)
                    .during(backward(layer + 1), backward(layer)));
        }
        // Other edges of such a graph: data that is read ahead, and edges that cannot be static.
        edges.add(GraphEdge.of(Edges.key(2, 0, "images"), DataType.FLOAT, BATCH, 784)
                .doubleBuffered());
        edges.add(GraphEdge.of(Edges.key(2, 1, "labels"), DataType.INT32, BATCH).doubleBuffered());
        edges.add(GraphEdge.of(Edges.key(0, 1, "learning_rate"), DataType.FLOAT));
        edges.add(GraphEdge.of(Edges.key(2, 1, "hard_examples"), DataType.INT64, -1));
        edges.add(GraphEdge.of(Edges.key(0, 1, "summary"), DataType.STRING));
        edges.add(GraphEdge.of(Edges.key(0, 1, "clipped"), DataType.FLOAT, 512).thatMayBeDead());
        return edges;
    }

    private static int worker(int layer) {
        return (layer - 1) % 2;
    }

    private static int forward(int layer) {
        return layer;
    }

    private static int backward(int layer) {
        return 2 * LAYERS + 1 - layer;
    }
}
