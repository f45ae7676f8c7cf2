package io.tensorferry.verbs.channel.setup;

/// A memory region of a peer that this end may write: its address and rkey.
///
/// @param address the first byte's address in the peer's process
/// @param remoteKey the peer's rkey
public record RemoteRegion(long address, int remoteKey) {}
