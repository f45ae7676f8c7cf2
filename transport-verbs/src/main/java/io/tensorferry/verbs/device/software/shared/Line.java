package io.tensorferry.verbs.device.software.shared;

/// The end of one direction of a queue pair that a peer's notification addresses. On the loop.
interface Line {
    /// Called when the ring may hold new entries.
    void rung();
}
