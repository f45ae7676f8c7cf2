package io.tensorferry.grpc.admission;

/// The number of connections that a server keeps open. Immutable.
///
/// @param unproven limits all connections whose callers have not presented a peer's certificate
/// @param unprovenPerHost limits such connections from one address
/// @param perWorker limits the connections of each peer that presented its certificate
public record ConnectionLimits(int unproven, int unprovenPerHost, int perWorker) {
    private static final int SPARE = 64;
    // One in use, a second while a peer restarts, two spare.
    private static final int PER_WORKER = 4;

    /// Returns limits that fit a cluster. In plaintext all connections are unproven, so the unproven limits have room
    /// for all peers, even at one address.
    public static ConnectionLimits forCluster(int workers) {
        int atOneHost = SPARE + PER_WORKER * workers;
        return new ConnectionLimits(4 * atOneHost, atOneHost, PER_WORKER);
    }
}
