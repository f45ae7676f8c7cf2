package io.tensorferry.verbs.channel.setup;

/// Memory of a peer that this side may write: where it is and the key that opens it.
///
/// @param address the first byte's address in the peer's process
/// @param remoteKey the peer's key for it (rkey)
public record RemoteRegion(long address, int remoteKey) {}
