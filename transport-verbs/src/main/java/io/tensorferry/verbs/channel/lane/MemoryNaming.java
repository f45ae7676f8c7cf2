package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.OutgoingMessage;

/// Creates the message that names memory to the peer, once the rkey of that memory is known.
///
/// Threading: on the loop.
public interface MemoryNaming {
    /// Returns the message, created or filled in. It is sent in its order.
    ///
    /// @param remoteKey the rkey that opens the memory to the peer
    /// @return a message that [io.tensorferry.verbs.channel.RdmaChannel#fits]
    OutgoingMessage message(int remoteKey);

    /// Called if no rkey is available for the peer: nothing is granted and nothing is sent.
    void onRefused(TransportException cause);
}
