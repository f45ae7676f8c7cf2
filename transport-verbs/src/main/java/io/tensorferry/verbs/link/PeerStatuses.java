package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The status of each peer that an adapter has been in contact with.
///
/// Threading: changed on the loop, read from any thread.
final class PeerStatuses {
    private final ConcurrentHashMap<String, Known> byPeer = new ConcurrentHashMap<>();

    /// The state last published by the loop. The path of a channel's requests is queried on demand, because it is
    /// resolved after the channel opens.
    private record Known(
            String peer,
            PeerStatus.State state,
            long epoch,
            @Nullable RdmaChannel channel,
            @Nullable TransportException failure) {
        PeerStatus now() {
            return channel == null
                    ? new PeerStatus(peer, state, epoch, null, "", failure)
                    : new PeerStatus(peer, state, epoch, channel.description(), channel.way(), failure);
        }
    }

    /// @param channel the open channel, or null
    void put(
            String peer,
            PeerStatus.State state,
            long epoch,
            @Nullable RdmaChannel channel,
            @Nullable TransportException failure) {
        byPeer.put(peer, new Known(peer, state, epoch, channel, failure));
    }

    /// The statuses, sorted by peer.
    List<PeerStatus> list() {
        return byPeer.values().stream()
                .map(Known::now)
                .sorted(Comparator.comparing(PeerStatus::peer))
                .toList();
    }

    /// The open channels, sorted by peer.
    List<ChannelDescription> channels() {
        return list().stream().map(PeerStatus::channel).filter(Objects::nonNull).toList();
    }
}
