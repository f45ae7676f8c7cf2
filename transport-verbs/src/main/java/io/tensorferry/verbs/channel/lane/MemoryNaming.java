package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.OutgoingMessage;

/// Makes the message that names some memory to the peer, when the key to that memory is known.
///
/// Threading: on the loop.
public interface MemoryNaming {
    /// The message, made or filled in; it goes out in its turn.
    ///
    /// @param remoteKey opens the memory to the peer
    /// @return a message that [io.tensorferry.verbs.channel.RdmaChannel#fits]
    OutgoingMessage message(int remoteKey);

    /// There is no key for the peer: nothing was granted and nothing is sent.
    void onRefused(TransportException cause);
}
