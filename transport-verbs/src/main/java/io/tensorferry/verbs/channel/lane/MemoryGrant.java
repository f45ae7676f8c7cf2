package io.tensorferry.verbs.channel.lane;

/// That a peer may write into some memory, from the message that names it until it is revoked.
///
/// Owner: the loop.
@FunctionalInterface
public interface MemoryGrant {
    /// A grant that the peer keeps: nothing can be revoked, or nothing was granted.
    MemoryGrant LASTING = Revoked::onRevoked;

    /// Takes the right back. Called once, when the peer is done with the memory or gets no more of it.
    ///
    /// @param then is told when the peer cannot write there any more, at the latest when the channel is gone: now, or
    ///     later on the loop
    void revoke(Revoked then);

    /// Who waits for a right to be taken back. Of its own, so that a request can be one itself: nothing is made for
    /// each transfer.
    @FunctionalInterface
    interface Revoked {
        void onRevoked();
    }
}
