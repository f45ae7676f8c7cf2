package io.tensorferry.verbs.device.software.shared;

/// One direction of a queue pair, as its peer's ringing finds it. On the loop.
interface Line {
    /// There may be something new in its ring.
    void rung();
}
