package io.tensorferry.verbs.device.software.loop;

/// One direction of a queue pair from the accepted hello on: the requests to the peer, or the peer's requests. The two
/// carriers between processes, TCP and shared memory, implement it.
///
/// Threading: on the loop only.
public interface Direction {
    /// There is something new on this side: requests to take, or a posted receive for a request that waits for one.
    void proceed();

    /// Ends the direction: from here on it touches no registered memory and calls neither requester nor responder.
    void end();
}
