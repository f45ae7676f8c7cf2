package io.tensorferry.grpc;

/// When a worker connects to its peers. Peers may start in any order with both.
public enum DialPolicy {
    /// A peer is dialled by the first receive that names it: workers that exchange nothing hold no channel.
    ON_FIRST_USE,
    /// All peers are dialled in the background from the start on, again and again until they answer: the first step
    /// pays for no set-up.
    AT_START
}
