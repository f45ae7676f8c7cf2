package io.tensorferry.it.benchmark.growth;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.contest.Usage;
import java.util.List;
import java.util.Objects;

/// The memory of one additional channel at one of its ends, after a few receives: heap or registered memory.
final class ChannelMemory implements GrowthSeries {
    private static final int FEW = 1;
    private static final int RECEIVES = 10;

    private final long peers;
    private final boolean registered;

    ChannelMemory(long peers, boolean registered) {
        this.peers = peers;
        this.registered = registered;
    }

    @Override
    public String name() {
        return registered ? "channel-registered" : "channel-heap";
    }

    @Override
    public String what() {
        return "channels";
    }

    @Override
    public String cost() {
        return (registered ? "bytes of registered memory" : "bytes of heap") + " for each";
    }

    @Override
    public List<Long> points() {
        return List.of(peers);
    }

    @Override
    public double measure(long point) throws InterruptedException {
        return (double) (taken((int) point) - taken(FEW)) / (point - FEW);
    }

    private long taken(int count) throws InterruptedException {
        try (var cluster = PeerCluster.start(count)) {
            var _ = cluster.receive(RECEIVES);
            return registered ? registered(cluster.consumer()) : Usage.now().heapBytes();
        }
    }

    private static long registered(TransportServer server) {
        return Objects.requireNonNull(server.statistics().verbs(), "no device")
                .memory()
                .bytesInUse();
    }
}
