package io.tensorferry.verbs.link;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import java.util.Set;

/// The configuration of an adapter. Immutable.
///
/// @param workerName this worker, such as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster; other workers are refused
/// @param incarnation a random number chosen at the start of this process
/// @param piecesAtOnce pieces of one content that peers may name before they are written, 0 to 255, as the rendezvous
/// supports; 0 disables pieces
public record RdmaAdapterOptions(
        String workerName,
        Set<String> members,
        long incarnation,
        RdmaConfig config,
        ChannelOptions channel,
        MemoryOptions memory,
        int piecesAtOnce) {
    /// @throws IllegalArgumentException if [#piecesAtOnce] is out of range
    public RdmaAdapterOptions {
        members = Set.copyOf(members);
        ChannelOptions.require(
                piecesAtOnce >= 0 && piecesAtOnce <= ChannelOptions.MAX_PIECES_AT_ONCE,
                "piecesAtOnce",
                piecesAtOnce,
                "0.." + ChannelOptions.MAX_PIECES_AT_ONCE);
    }

    /// Creates options for a rendezvous that does not support pieces.
    public RdmaAdapterOptions(
            String workerName,
            Set<String> members,
            long incarnation,
            RdmaConfig config,
            ChannelOptions channel,
            MemoryOptions memory) {
        this(workerName, members, incarnation, config, channel, memory, 0);
    }

    /// Returns a copy with another value of [#piecesAtOnce].
    public RdmaAdapterOptions withPiecesAtOnce(int changed) {
        return new RdmaAdapterOptions(workerName, members, incarnation, config, channel, memory, changed);
    }
}
