package io.tensorferry.verbs.partition;

import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// The shared parts of all partitioned tensors of one worker.
///
/// @param loop the completion loop, which owns all channel state
/// @param workers runs the planning and copying of rows
/// @param users runs user code
/// @param channels opens channels to peers; on the loop
record PartitionContext(
        Executor loop,
        Executor workers,
        UserCode users,
        RegisteredMemory memory,
        PartitionCounters counters,
        ChannelSource channels) {
    /// Runs `task` on a worker, or on the caller's thread once the workers have shut down with the adapter.
    void work(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException _) {
            task.run();
        }
    }
}
