package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.memory.MemoryOptions;

/// What an adapter is made with. Immutable.
///
/// @param workerName this worker, as `/job:worker/replica:0/task:1`
/// @param incarnation a random number of this process's life
public record RdmaAdapterOptions(
        String workerName, long incarnation, RdmaConfig config, ChannelOptions channel, MemoryOptions memory) {}
