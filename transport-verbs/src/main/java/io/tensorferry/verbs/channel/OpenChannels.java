package io.tensorferry.verbs.channel;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/// The channels of one adapter that are open now, at most one for each peer.
///
/// Threading: changed on the loop, read from any thread.
final class OpenChannels {
    private final ConcurrentHashMap<String, ChannelDescription> byPeer = new ConcurrentHashMap<>();

    void add(ChannelDescription channel) {
        byPeer.put(channel.peer(), channel);
    }

    void remove(ChannelDescription channel) {
        byPeer.remove(channel.peer(), channel);
    }

    /// By peer.
    List<ChannelDescription> list() {
        return byPeer.values().stream()
                .sorted(Comparator.comparing(ChannelDescription::peer))
                .toList();
    }
}
