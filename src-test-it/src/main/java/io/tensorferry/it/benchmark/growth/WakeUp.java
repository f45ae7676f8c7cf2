package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import java.util.List;
import java.util.Locale;

/// The time of a receive after an idle period, by its length. Both loops sleep by then and must be woken.
final class WakeUp implements GrowthSeries {
    private static final int BYTES = 4096;
    private static final double MICROS_PER_SECOND = 1e6;

    private final ConsumerPath path;
    private final double seconds;
    private final double percentile;

    /// @param pair remains owned by the caller
    WakeUp(RendezvousPair pair, double seconds, double percentile) {
        this.path = new ConsumerPath("grpc+verbs", pair.consumer());
        this.seconds = seconds;
        this.percentile = percentile;
    }

    @Override
    public String name() {
        return String.format(Locale.ROOT, "wake-up-p%.0f", percentile);
    }

    @Override
    public String what() {
        return "us from one receive to the next";
    }

    @Override
    public String cost() {
        return String.format(Locale.ROOT, "us for a receive of 4 KiB, p%.0f", percentile);
    }

    @Override
    public List<Long> points() {
        return List.of(1_000L, 10_000L, 100_000L);
    }

    @Override
    public double measure(long point) throws InterruptedException {
        double perSecond = MICROS_PER_SECOND / point;
        int count = (int) Math.max(5, perSecond * seconds);
        return path.paced(BYTES, count, perSecond).latencyMicros(percentile);
    }
}
