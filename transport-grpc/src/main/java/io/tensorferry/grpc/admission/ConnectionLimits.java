package io.tensorferry.grpc.admission;

/// How many connections a server keeps open. Immutable.
///
/// @param unproven of callers that have not shown the certificate of a peer, all together
/// @param unprovenPerHost of such callers at one address
/// @param perWorker of each peer whose certificate was shown
public record ConnectionLimits(int unproven, int unprovenPerHost, int perWorker) {
    private static final int SPARE = 64;
    // One is used, a second while a peer is restarted, two more for good measure.
    private static final int PER_WORKER = 4;

    /// In plaintext nobody proves anything: the peers must find room among the unproven, all of them at one address if
    /// that is where they are.
    public static ConnectionLimits forCluster(int workers) {
        int atOneHost = SPARE + PER_WORKER * workers;
        return new ConnectionLimits(4 * atOneHost, atOneHost, PER_WORKER);
    }
}
