package io.tensorferry.verbs.channel;

import io.tensorferry.api.TransportException;

/// Waits for a channel to a peer. Exactly one of the two is called, on the loop.
public interface ChannelWaiter {
    void onChannel(RdmaChannel channel);

    void onNoChannel(TransportException cause);
}
