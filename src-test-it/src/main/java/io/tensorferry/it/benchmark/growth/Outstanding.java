package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import java.util.List;

/// The time of a receive with a number of outstanding receives, each of which requests the next when it completes. The
/// producer has sent all tensors in advance.
final class Outstanding implements GrowthSeries {
    static final String NAME = "outstanding";

    private static final int BYTES = 64;
    private static final int LEAST = 20_000;

    private final ConsumerPath path;
    private final List<Long> points;

    /// @param pair remains owned by the caller
    Outstanding(RendezvousPair pair, long most) {
        this.path = new ConsumerPath("grpc+verbs", pair.consumer());
        this.points = Points.powersOfTen(most);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String what() {
        return "receives outstanding";
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
        int count = (int) Math.max(point == 1 ? LEAST / 10 : LEAST, 2 * point);
        return 1e6 / path.outstanding(BYTES, count, (int) point).perSecond();
    }
}
