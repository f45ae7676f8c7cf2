package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.channel.ChannelSource;
import io.tensorferry.verbs.channel.CompletionLoop;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// What all edges of one worker share.
///
/// @param loop where everything about channels runs
/// @param workers runs what may take long
/// @param channels where a channel to a peer is asked for; on the loop
/// @param random of the adapter; on the loop
record EdgeContext(
        CompletionLoop loop,
        Executor workers,
        RegisteredMemory memory,
        EdgeCounters counters,
        ChannelSource channels,
        RandomGenerator random) {
    /// Copies a tensor that an edge cannot send from where it is, and closes it.
    ///
    /// @param buffer as long as the tensor; becomes the copy's
    Tensor copy(Tensor tensor, RegisteredBuffer buffer) {
        buffer.segment().copyFrom(tensor.segment());
        counters.unregisteredCopies.increment();
        Tensor copy = buffer.toTensor(tensor.dataType(), tensor.shape());
        tensor.close();
        return copy;
    }
}
