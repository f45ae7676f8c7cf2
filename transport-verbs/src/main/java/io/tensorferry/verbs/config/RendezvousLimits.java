package io.tensorferry.verbs.config;

/// Limits on the backlog of a worker and on the size of a received tensor. An operation that exceeds a limit fails with
/// `RESOURCE_EXHAUSTED`; steps, channels and other peers are not affected. Immutable.
///
/// @param maxUnclaimedSends tensors of one step that were sent on this worker and not yet requested, 1 or more
/// @param maxUnclaimedBytes total bytes of these tensors, 1 or more; [#UNLIMITED] disables the limit
/// @param maxPeerRequests requests of one peer whose responses are not being sent yet, 1 or more. A worker of this
///     library has at most 1,048,576
/// @param maxPeerSteps steps that one peer has named and this worker has not, 1 or more
/// @param maxTensorBytes bytes of one received tensor in its wire format, 1 or more; [#UNLIMITED] disables the limit
public record RendezvousLimits(
        long maxUnclaimedSends, long maxUnclaimedBytes, long maxPeerRequests, long maxPeerSteps, long maxTensorBytes) {
    /// Disables a limit.
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final long DEFAULT_UNCLAIMED_SENDS = 1L << 20;
    private static final long DEFAULT_PEER_REQUESTS = 1L << 20;
    private static final long DEFAULT_PEER_STEPS = 1L << 16;

    /// @throws IllegalArgumentException naming the limit that is out of its range
    public RendezvousLimits {
        requirePositive("maxUnclaimedSends", maxUnclaimedSends);
        requirePositive("maxUnclaimedBytes", maxUnclaimedBytes);
        requirePositive("maxPeerRequests", maxPeerRequests);
        requirePositive("maxPeerSteps", maxPeerSteps);
        requirePositive("maxTensorBytes", maxTensorBytes);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + " must be 1 or more");
        }
    }

    /// Returns the defaults: 1,048,576 unclaimed sends per step and requests per peer, 65,536 steps per peer, and no
    /// limit on bytes.
    public static RendezvousLimits defaults() {
        return new RendezvousLimits(
                DEFAULT_UNCLAIMED_SENDS, UNLIMITED, DEFAULT_PEER_REQUESTS, DEFAULT_PEER_STEPS, UNLIMITED);
    }

    public RendezvousLimits withUnclaimed(long sends, long bytes) {
        return new RendezvousLimits(sends, bytes, maxPeerRequests, maxPeerSteps, maxTensorBytes);
    }

    public RendezvousLimits withPeer(long requests, long steps) {
        return new RendezvousLimits(maxUnclaimedSends, maxUnclaimedBytes, requests, steps, maxTensorBytes);
    }

    public RendezvousLimits withTensorBytes(long bytes) {
        return new RendezvousLimits(maxUnclaimedSends, maxUnclaimedBytes, maxPeerRequests, maxPeerSteps, bytes);
    }
}
