package io.tensorferry.verbs.edge;

import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/// What all edges of one worker share.
///
/// @param loop where everything about channels runs
/// @param channels gives a waiter the channel to a peer; on the loop
/// @param random of the adapter; on the loop
record EdgeContext(
        Executor loop,
        RegisteredMemory memory,
        EdgeCounters counters,
        BiConsumer<String, ChannelWaiter> channels,
        RandomGenerator random) {}
