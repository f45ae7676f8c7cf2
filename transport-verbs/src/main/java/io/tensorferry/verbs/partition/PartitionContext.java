package io.tensorferry.verbs.partition;

import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// What all partitioned tensors of one worker share.
///
/// @param loop where everything about channels runs
/// @param workers where rows are planned and copied
/// @param users runs code of the user's
/// @param channels where a channel to a peer is asked for; on the loop
record PartitionContext(
        Executor loop,
        Executor workers,
        UserCode users,
        RegisteredMemory memory,
        PartitionCounters counters,
        ChannelSource channels) {
    /// Has a worker do it; when they have ended with the adapter, the caller.
    void work(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException _) {
            task.run();
        }
    }
}
