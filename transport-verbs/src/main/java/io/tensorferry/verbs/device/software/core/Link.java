package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AddressHandle;

/// The two directions of a queue pair: its requests to the peer, and the peer's requests to it. A link takes requests
/// from [Requester#next()], passes the peer's requests to the [Responder], and returns the answers.
///
/// Threading: on the [DeviceLoop] only, except [#takesAtOnce()] and [#way()].
public interface Link {
    /// Whether the posting thread should take its requests itself: the work is short and makes no blocking system call.
    default boolean takesAtOnce() {
        return false;
    }

    /// The current carrier of the requests, in one or two words for people; empty until the peer is found.
    String way();

    /// @throws io.tensorferry.verbs.device.VerbsException EINVAL if the peer at this address cannot be reached
    default void requireReachable(AddressHandle peer) {}

    /// Called when the queue pair reaches RTS. The link may start to look for the peer.
    void connect();

    /// Called when requests may be pending.
    void transmit();

    /// Called when the application posts a receive for which the responder waits.
    void receivePosted();

    /// Ends both directions. After this returns, the link does not access registered memory and does not call the
    /// requester or the responder. Earlier answers may still be in flight.
    void drop();
}
