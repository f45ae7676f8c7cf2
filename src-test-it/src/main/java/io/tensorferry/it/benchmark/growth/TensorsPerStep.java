package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.rendezvous.Order;
import java.util.List;

/// The time per tensor in a step, by the number of tensors of the step. Each tensor has a different name, which earlier
/// steps have also used. The time includes the step's beginning and end: an order to the producer, its answer, and the
/// clean-up.
final class TensorsPerStep implements GrowthSeries {
    private static final int BYTES = 4096;
    private static final int LEAST = 2_000;

    private final RendezvousPair pair;
    private final List<Long> points;

    /// @param pair remains owned by the caller
    TensorsPerStep(RendezvousPair pair, long most) {
        this.pair = pair;
        this.points = Points.powersOfTen(most);
    }

    @Override
    public String name() {
        return "step";
    }

    @Override
    public String what() {
        return "tensors in a step, each with its own name";
    }

    @Override
    public String cost() {
        return "us for each tensor of 4 KiB, its share of the step included";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    @Override
    public double measure(long point) throws InterruptedException {
        var order = new Order(BYTES, (int) point, (int) point, false);
        List<RendezvousKey> keys = order.keys();
        int steps = Math.clamp(LEAST / point, 2, 200);
        long start = System.nanoTime();
        for (int step = 0; step < steps; step++) {
            pair.consumer().begin(order);
            var gathering = new Gathering(order.count());
            for (RendezvousKey key : keys) {
                pair.consumer().ask(key, gathering);
            }
            gathering.await();
            pair.consumer().end();
        }
        return (System.nanoTime() - start) / 1e3 / (steps * point);
    }
}
