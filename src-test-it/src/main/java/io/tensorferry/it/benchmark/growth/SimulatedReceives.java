package io.tensorferry.it.benchmark.growth;

import java.util.List;

/// The CPU time of the consumer's loop per receive from one of several peers on a simulated network, with one
/// outstanding receive per peer.
final class SimulatedReceives implements GrowthSeries {
    private static final int LEAST = 10_000;
    private static final int FEWEST = 10;

    private final List<Long> points;

    SimulatedReceives(long most) {
        this.points = Points.powersOfFour(most);
    }

    @Override
    public String name() {
        return "simulated-peers";
    }

    @Override
    public String what() {
        return "peers on a simulated network";
    }

    @Override
    public String cost() {
        return "us of the processor's time in the consumer's loop for each receive of 4 KiB, one outstanding at each "
                + "peer";
    }

    @Override
    public List<Long> points() {
        return points;
    }

    /// Recreates the peers.
    @Override
    public double measure(long point) throws InterruptedException {
        int each = (int) Math.max(FEWEST, LEAST / point);
        try (var peers = new SimulatedPeers((int) point)) {
            peers.connect();
            var _ = peers.receive(Math.max(each, PeerCluster.WARM_UP));
            return peers.receive(each) / 1e3 / (each * point);
        }
    }
}
