package io.tensorferry.verbs.simulation;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.edge.StaticEdge;
import java.util.Random;

/// Static edges of every size, with and without credits, of one place or two.
class EdgeSimulationTest extends EdgeSimulation {
    private static final long[] SIZES = {0, 1, 100, 5_000, 20_000};

    @Override
    Drawn drawn(Random random, RendezvousKey key) {
        StaticEdge.Reuse[] reuses = StaticEdge.Reuse.values();
        StaticEdge edge = StaticEdge.of(key, DataType.UINT8, Shape.of(SIZES[random.nextInt(SIZES.length)]))
                .withReuse(reuses[random.nextInt(reuses.length)]);
        StaticEdge all = random.nextBoolean() ? edge.doubleBuffered() : edge;
        return (scenario, values, count) -> new SimulatedStaticEdge(scenario, values, all, count);
    }
}
