package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// What all edges of one worker share.
///
/// @param loop where everything about channels runs
/// @param workers runs what may take long
/// @param users runs code of the user's
/// @param channels where a channel to a peer is asked for; on the loop
/// @param random of the adapter; on the loop
record EdgeContext(
        CompletionLoop loop,
        Executor workers,
        UserCode users,
        RegisteredMemory memory,
        EdgeCounters counters,
        ChannelSource channels,
        RandomGenerator random) {
    /// Copies a tensor that an edge cannot send from where it is.
    ///
    /// @param buffer as long as the tensor; becomes the copy's, and is closed if this throws
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
