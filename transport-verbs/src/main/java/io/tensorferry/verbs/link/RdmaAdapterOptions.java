package io.tensorferry.verbs.link;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import java.util.Set;

/// What an adapter is made with. Immutable.
///
/// @param workerName this worker, as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster: nobody else gets a channel
/// @param incarnation a random number of this process's life
/// @param piecesAtOnce pieces of one content that peers may name and have not got yet, 0 to 255: what the rendezvous
///     above this serves, 0 for none
public record RdmaAdapterOptions(
        String workerName,
        Set<String> members,
        long incarnation,
        RdmaConfig config,
        ChannelOptions channel,
        MemoryOptions memory,
        int piecesAtOnce) {
    /// @throws IllegalArgumentException if [#piecesAtOnce] is out of its range
    public RdmaAdapterOptions {
        members = Set.copyOf(members);
        ChannelOptions.require(
                piecesAtOnce >= 0 && piecesAtOnce <= ChannelOptions.MAX_PIECES_AT_ONCE,
                "piecesAtOnce",
                piecesAtOnce,
                "0.." + ChannelOptions.MAX_PIECES_AT_ONCE);
    }

    /// For a rendezvous that serves no pieces.
    public RdmaAdapterOptions(
            String workerName,
            Set<String> members,
            long incarnation,
            RdmaConfig config,
            ChannelOptions channel,
            MemoryOptions memory) {
        this(workerName, members, incarnation, config, channel, memory, 0);
    }

    /// The same with another number of [#piecesAtOnce].
    public RdmaAdapterOptions withPiecesAtOnce(int changed) {
        return new RdmaAdapterOptions(workerName, members, incarnation, config, channel, memory, changed);
    }
}
