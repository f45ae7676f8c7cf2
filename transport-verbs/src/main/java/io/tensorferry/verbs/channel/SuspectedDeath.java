package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.channel.ChannelFailure.Recovery;

/// Whether the process of one peer seemed to die before: it can do so once.
///
/// Owner: the loop.
public final class SuspectedDeath {
    private long incarnation;
    private boolean suspected;

    /// Of a peer that is not suspected.
    public SuspectedDeath() {}

    /// What the end of a channel to a process comes to, as other channels to it have ended before.
    ///
    /// @param peerIncarnation which life of the peer's process the channel led to
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
