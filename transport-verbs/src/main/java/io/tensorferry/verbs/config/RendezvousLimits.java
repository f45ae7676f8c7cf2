package io.tensorferry.verbs.config;

/// What may pile up in a worker, and how large a tensor it takes. Whatever passes a limit fails with
/// `RESOURCE_EXHAUSTED`, by itself: steps, channels and other peers go on. Immutable.
///
/// @param maxUnclaimedSends tensors of one step that were sent on this worker and that nobody has asked for, 1 or more
/// @param maxUnclaimedBytes bytes of these tensors together, 1 or more; [#UNLIMITED] for no limit
/// @param maxPeerRequests requests of one peer whose answers are not on their way yet, 1 or more. A peer that is
///     a worker of this library has at most 1,048,576
/// @param maxPeerSteps steps that one peer has named and this worker has not, 1 or more
/// @param maxTensorBytes bytes of one received tensor as it travels, 1 or more; [#UNLIMITED] for no limit
public record RendezvousLimits(
        long maxUnclaimedSends, long maxUnclaimedBytes, long maxPeerRequests, long maxPeerSteps, long maxTensorBytes) {
    /// A limit that is never reached.
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

    /// 1,048,576 unclaimed sends of a step and requests of a peer, 65,536 steps of a peer, bytes without limit.
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
