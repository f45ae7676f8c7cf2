package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.memory.MemoryOptions;
import java.util.Set;

/// What an adapter is made with. Immutable.
///
/// @param workerName this worker, as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster: nobody else gets a channel
/// @param incarnation a random number of this process's life
public record RdmaAdapterOptions(
        String workerName,
        Set<String> members,
        long incarnation,
        RdmaConfig config,
        ChannelOptions channel,
        MemoryOptions memory) {
    public RdmaAdapterOptions {
        members = Set.copyOf(members);
    }
}
