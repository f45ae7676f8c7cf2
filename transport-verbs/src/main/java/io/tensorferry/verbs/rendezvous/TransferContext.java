package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/// What the transfers of one worker share. Immutable.
///
/// @param loop runs commands on the completion loop
/// @param workers runs work that may take long
record TransferContext(
        Executor loop,
        Executor workers,
        RegisteredMemory memory,
        MetaDataCache metaDataCache,
        RendezvousOptions options,
        RendezvousCounters counters,
        BiConsumer<String, ChannelWaiter> channels) {}
