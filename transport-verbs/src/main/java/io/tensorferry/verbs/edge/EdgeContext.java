package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// The resources shared by all edges of one worker.
///
/// @param loop the loop of the adapter's channels
/// @param workers runs work that may take long
/// @param users runs the user's code
/// @param channels provides channels to peers; on the loop
/// @param random random source of the adapter; on the loop
record EdgeContext(
        CompletionLoop loop,
        Executor workers,
        UserCode users,
        RegisteredMemory memory,
        EdgeCounters counters,
        ChannelSource channels,
        RandomGenerator random) {
    /// Copies a tensor that an edge cannot send from its own memory.
    ///
    /// @param buffer as long as the tensor; owned by the copy, and closed if this throws
    Tensor copy(Tensor tensor, RegisteredBuffer buffer) {
        try {
            buffer.segment().copyFrom(tensor.segment());
        } catch (RuntimeException e) {
            // The user's memory may have ended before its tensor.
            buffer.close();
            throw e;
        }
        counters.unregisteredCopies.increment();
        return buffer.toTensor(tensor.dataType(), tensor.shape());
    }
}
