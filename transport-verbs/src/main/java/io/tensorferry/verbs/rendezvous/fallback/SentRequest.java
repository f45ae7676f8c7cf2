package io.tensorferry.verbs.rendezvous.fallback;

/// A request that was sent on a channel that is gone: under which number its sender may have taken a tensor for it.
///
/// @param requestIndex its index
/// @param connectionId the number of the last channel that it was sent on
/// @param incarnation the life of the sender's process that this channel led to
public record SentRequest(int requestIndex, long connectionId, long incarnation) {}
