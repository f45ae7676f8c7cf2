package io.tensorferry.verbs.channel;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/// How an adapter stands with each peer that it has had to do with.
///
/// Threading: changed on the loop, read from any thread.
final class PeerStatuses {
    private final ConcurrentHashMap<String, PeerStatus> byPeer = new ConcurrentHashMap<>();

    void put(PeerStatus status) {
        byPeer.put(status.peer(), status);
    }

    /// By peer.
    List<PeerStatus> list() {
        return byPeer.values().stream()
                .sorted(Comparator.comparing(PeerStatus::peer))
                .toList();
    }

    /// The channels that are open, by peer.
    List<ChannelDescription> channels() {
        return list().stream().map(PeerStatus::channel).filter(Objects::nonNull).toList();
    }
}
