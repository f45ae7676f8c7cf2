package io.tensorferry.verbs.channel.lane;

/// A peer's right to access memory by an rkey, from the message that names the memory until the grant is revoked.
///
/// Owner: the loop.
@FunctionalInterface
public interface MemoryGrant {
    /// A grant that cannot be revoked, or that granted nothing.
    MemoryGrant LASTING = Revoked::onRevoked;

    /// Revokes the right. Called once, when the peer is done with the memory or is to lose access to it.
    ///
    /// @param then called when the peer cannot access the memory any more, at the latest when the channel is gone:
    /// before this returns, or later on the loop
    void revoke(Revoked then);

    /// Callback for a completed revocation. A separate interface, so that a request can implement it and no object is
    /// created for each transfer.
    @FunctionalInterface
    interface Revoked {
        void onRevoked();
    }
}
