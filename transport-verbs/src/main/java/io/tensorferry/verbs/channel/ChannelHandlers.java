package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.loop.Tell;
import java.util.List;

/// The handlers above the channels of an adapter.
///
/// @param transfers handles individual requests
/// @param edges handles edges, which are set up once
/// @param parts handles the parts of partitioned tensors, which peers read with RDMA READ
public record ChannelHandlers(RendezvousHandler transfers, EdgeHandler edges, PartHandler parts)
        implements ChannelListener {
    @Override
    public void onChannelOpen(RdmaChannel channel) {
        Tell.each("notify a listener of an open channel", all(), handler -> handler.onChannelOpen(channel));
    }

    @Override
    public void onMemoryStranded(RdmaChannel channel) {
        Tell.each("strand memory", all(), handler -> handler.onMemoryStranded(channel));
    }

    @Override
    public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
        Tell.each("notify a listener of a lost channel", all(), handler -> handler.onChannelLost(channel, loss));
    }

    private List<ChannelListener> all() {
        return List.of(transfers, edges, parts);
    }
}
