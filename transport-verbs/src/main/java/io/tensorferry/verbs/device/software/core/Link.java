package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AddressHandle;

/// A queue pair's two directions: its own requests to the peer, and the peer's requests to it. A link takes
/// requests from [Requester#next()], gives those of the peer to the [Responder], and brings the answers back.
///
/// Threading: on the [DeviceLoop] only, but for [#takesAtOnce()] and [#way()].
public interface Link {
    /// Whether requests are best taken by the thread that posts them: short work, and no system call that waits.
    default boolean takesAtOnce() {
        return false;
    }

    /// The carrier of the requests now, in a word or two for people; empty while the peer is not found.
    String way();

    /// @throws io.tensorferry.verbs.device.VerbsException EINVAL if the peer at this address cannot be reached
    default void requireReachable(AddressHandle peer) {}

    /// The queue pair came to RTS: the peer may be looked for.
    void connect();

    /// There may be requests to take.
    void transmit();

    /// The responder waits for a receive, and now one is posted.
    void receivePosted();

    /// Ends both directions. Once this returned, the link touches no registered memory and calls neither requester
    /// nor responder; answers that were given before may still be on their way.
    void drop();
}
