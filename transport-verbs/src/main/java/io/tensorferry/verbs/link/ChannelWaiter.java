package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;

/// Waits for a channel to a peer. Exactly one of the three is called, on the loop.
public interface ChannelWaiter {
    void onChannel(RdmaChannel channel);

    void onNoChannel(TransportException cause);

    /// No channel can be had for the time being, and the configuration has a fallback; otherwise [#onNoChannel] is
    /// called. The link goes on trying.
    default void onFallback(TransportException cause) {
        onNoChannel(cause);
    }
}
