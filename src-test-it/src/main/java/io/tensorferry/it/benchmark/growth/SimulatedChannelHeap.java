package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.Usage;
import java.util.List;

/// The heap usage of both ends of a channel after a few receives, by the consumer's number of channels, on a simulated
/// network.
final class SimulatedChannelHeap implements GrowthSeries {
    private static final int RECEIVES = 10;

    private final List<Long> points;

    SimulatedChannelHeap(long most) {
        this.points = Points.powersOfFour(most);
    }

    @Override
    public String name() {
        return "simulated-channel-heap";
    }

    @Override
    public String what() {
        return "peers on a simulated network";
    }

    @Override
    public String cost() {
        return "bytes of heap for each channel, both ends";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    @Override
    public double measure(long point) throws InterruptedException {
        try (var peers = new SimulatedPeers((int) point)) {
            long before = Usage.now().heapBytes();
            peers.connect();
            var _ = peers.receive(RECEIVES);
            return (double) (Usage.now().heapBytes() - before) / point;
        }
    }
}
