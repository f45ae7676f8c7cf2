package io.tensorferry.verbs.device.software.loop;

/// One direction of a queue pair after the accepted hello: the requests to the peer, or the peer's requests.
/// Implemented by the two carriers between processes, TCP and shared memory.
///
/// Threading: on the loop only.
public interface Direction {
    /// Handles new work on this side: requests to take, or a posted receive for a waiting request.
    void proceed();

    /// Ends the direction. Afterwards it does not access registered memory and does not call the requester or
    /// responder.
    void end();
}
