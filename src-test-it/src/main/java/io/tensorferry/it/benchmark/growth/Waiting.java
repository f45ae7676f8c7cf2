package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.rendezvous.Order;
import java.util.List;

/// The time of a receive when a number of requests wait at the producer before it sends all their tensors.
final class Waiting implements GrowthSeries {
    static final String NAME = "waiting";

    private static final int BYTES = 64;
    private static final int LEAST = 10_000;

    private final RendezvousPair pair;
    private final List<Long> points;

    /// @param pair remains owned by the caller
    Waiting(RendezvousPair pair, long most) {
        this.pair = pair;
        this.points =
                Points.powersOfTen(most).stream().filter(each -> each >= 100).toList();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String what() {
        return "receives asked for before anything is sent";
    }

    @Override
    public String cost() {
        return "us for each receive of " + BYTES + " B";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    @Override
    public double measure(long point) throws InterruptedException {
        int waves = (int) Math.max(1, LEAST / point);
        long ns = 0;
        for (int wave = 0; wave < waves; wave++) {
            var order = new Order(BYTES, (int) point, 1, true);
            pair.consumer().begin(order);
            var gathering = new Gathering(order.count());
            long start = System.nanoTime();
            for (int i = 0; i < order.count(); i++) {
                pair.consumer().ask(i, gathering);
            }
            pair.consumer().awaitProducer();
            pair.consumer().release();
            gathering.await();
            ns += System.nanoTime() - start;
            pair.consumer().end();
        }
        return ns / 1e3 / (waves * point);
    }
}
