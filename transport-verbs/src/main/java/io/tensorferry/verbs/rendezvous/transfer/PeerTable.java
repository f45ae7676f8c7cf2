package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import io.tensorferry.verbs.rendezvous.fallback.FallbackReceives;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The transfers with each peer of this worker.
///
/// Threading: any thread.
final class PeerTable {
    private final TransferContext context;
    private final ChannelSource channels;
    private final MetaDataCache metaDataCache;
    private final @Nullable FallbackPath fallback;
    private final Map<String, PeerTransfers> peers = new ConcurrentHashMap<>();

    /// @param fallback serves receives for which no channel can be opened; null if there is none
    PeerTable(
            TransferContext context,
            ChannelSource channels,
            MetaDataCache metaDataCache,
            @Nullable FallbackPath fallback) {
        this.context = context;
        this.channels = channels;
        this.metaDataCache = metaDataCache;
        this.fallback = fallback;
    }

    /// Returns the transfers with `peer`, created on first use.
    PeerTransfers of(String peer) {
        PeerTransfers known = peers.get(peer);
        if (known != null) {
            return known;
        }
        return peers.computeIfAbsent(
                peer,
                _ -> new PeerTransfers(
                        channels,
                        metaDataCache,
                        fallback == null ? null : new FallbackReceives(fallback, context.loop(), context.counters())));
    }

    /// Returns null if there are no transfers with the peer.
    @Nullable
    PeerTransfers known(String peer) {
        return peers.get(peer);
    }

    Collection<PeerTransfers> all() {
        return peers.values();
    }
}
