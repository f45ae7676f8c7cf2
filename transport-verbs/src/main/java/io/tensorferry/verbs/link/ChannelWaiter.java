package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;

/// Waits for a channel to a peer. Exactly one of the three methods is called, on the loop.
public interface ChannelWaiter {
    void onChannel(RdmaChannel channel);

    void onNoChannel(TransportException cause);

    /// Called if no channel can be set up for now and the configuration has a fallback; without a fallback,
    /// [#onNoChannel] is called. The link continues to try.
    default void onFallback(TransportException cause) {
        onNoChannel(cause);
    }
}
