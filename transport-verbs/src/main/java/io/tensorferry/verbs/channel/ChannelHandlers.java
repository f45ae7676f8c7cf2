package io.tensorferry.verbs.channel;

/// All that is above the channels of an adapter.
///
/// @param transfers what is asked for, each by itself
/// @param edges what was arranged once
/// @param parts what peers read by themselves
public record ChannelHandlers(ChannelHandler transfers, EdgeHandler edges, PartHandler parts)
        implements ChannelListener {
    @Override
    public void onChannelOpen(RdmaChannel channel) {
        transfers.onChannelOpen(channel);
        edges.onChannelOpen(channel);
        parts.onChannelOpen(channel);
    }

    @Override
    public void onMemoryStranded(RdmaChannel channel) {
        transfers.onMemoryStranded(channel);
        edges.onMemoryStranded(channel);
        parts.onMemoryStranded(channel);
    }

    @Override
    public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
        transfers.onChannelLost(channel, loss);
        edges.onChannelLost(channel, loss);
        parts.onChannelLost(channel, loss);
    }
}
