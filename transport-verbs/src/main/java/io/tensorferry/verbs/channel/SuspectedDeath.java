package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.channel.ChannelFailure.Recovery;

/// Tracks whether the process of one peer has seemed to die before. Each incarnation can seem to die once.
///
/// Owner: the loop.
public final class SuspectedDeath {
    private long incarnation;
    private boolean suspected;

    /// Creates the state of a peer that is not suspected.
    public SuspectedDeath() {}

    /// Adjusts the failure of a channel according to the failures of earlier channels to the same process.
    ///
    /// @param peerIncarnation incarnation of the peer's process that the channel led to
    ChannelFailure judge(ChannelFailure failure, long peerIncarnation) {
        if (failure.recovery() != Recovery.RECONNECT_ONCE) {
            return failure;
        }
        boolean again = suspected && incarnation == peerIncarnation;
        suspected = true;
        incarnation = peerIncarnation;
        return again ? failure.again() : failure;
    }
}
