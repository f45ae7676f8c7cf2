package io.tensorferry.grpc;

/// Determines when a worker connects to its peers. With either policy, peers may start in any order.
public enum DialPolicy {
    /// The first receive that names a peer connects to it. Workers that exchange no tensors hold no channel.
    ON_FIRST_USE,
    /// The server connects to all peers in the background when it starts, and retries until they answer, so that the
    /// first step does not include the set-up.
    AT_START
}
