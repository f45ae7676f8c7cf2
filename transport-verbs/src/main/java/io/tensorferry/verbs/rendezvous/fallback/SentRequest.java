package io.tensorferry.verbs.rendezvous.fallback;

/// Identifies a request that was sent on a lost channel; its sender may have taken a tensor for it.
///
/// @param requestIndex the index of the request
/// @param connectionId the number of the last channel that it was sent on
/// @param incarnation the incarnation of the sender's process that this channel connected to
public record SentRequest(int requestIndex, long connectionId, long incarnation) {}
