package io.tensorferry.it.benchmark.growth;

import java.util.List;

/// The time of a receive from one of several peers, with one outstanding receive per peer.
final class Peers implements GrowthSeries {
    private static final int LEAST = 20_000;

    private final List<Long> points;

    Peers(long most) {
        this.points = Points.powersOfFour(most);
    }

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public String what() {
        return "peers";
    }

    @Override
    public String cost() {
        return "us for each receive of 4 KiB, one outstanding at each peer";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    /// Restarts the peers.
    @Override
    public double measure(long point) throws InterruptedException {
        int each = (int) Math.max(10, LEAST / point / 4);
        try (var cluster = PeerCluster.start((int) point)) {
            var _ = cluster.receive(Math.max(3 * each, PeerCluster.WARM_UP));
            return cluster.receive(each) / 1e3 / (each * point);
        }
    }
}
