package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import java.util.List;

/// The time of a single receive of a tensor by its size.
final class Sizes implements GrowthSeries {
    private static final int MOST = 500;
    private static final long BYTES = 1L << 30;
    private static final int MEDIAN = 50;

    private final ConsumerPath path;
    private final List<Long> points;

    /// @param pair remains owned by the caller
    /// @param most the largest size in bytes; both processes hold a few tensors of this size
    Sizes(RendezvousPair pair, long most) {
        this.path = new ConsumerPath("grpc+verbs", pair.consumer());
        this.points = Points.sizes(most);
    }

    @Override
    public String name() {
        return "sizes";
    }

    @Override
    public String what() {
        return "bytes of a tensor";
    }

    @Override
    public String cost() {
        return "us for a receive, median, one under way";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    @Override
    public double measure(long point) throws InterruptedException {
        int count = Math.clamp(BYTES / Math.max(1, point), 3, MOST);
        return path.latency(point, count).latencyMicros(MEDIAN);
    }
}
