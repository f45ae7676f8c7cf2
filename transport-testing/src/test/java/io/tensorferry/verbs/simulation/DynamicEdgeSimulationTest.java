package io.tensorferry.verbs.simulation;

import io.tensorferry.api.RendezvousKey;
import java.util.Random;

/// Dynamic edges of few slots and many.
class DynamicEdgeSimulationTest extends EdgeSimulation {
    private static final int[] SLOTS = {1, 2, 3, 8, 20};

    @Override
    Drawn drawn(Random random, RendezvousKey key) {
        var edge = SimulatedDynamicEdge.of(key, SLOTS[random.nextInt(SLOTS.length)]);
        return (scenario, values, count) -> new SimulatedDynamicEdge(scenario, values, edge, count);
    }
}
