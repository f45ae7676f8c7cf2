package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/// What the transfers of one worker share. Immutable.
///
/// @param accelerators of the worker
/// @param loop runs commands on the completion loop
/// @param workers runs work that may take long
/// @param maxTensorBytes the largest tensor that is received
record TransferContext(
        Executor loop,
        Executor workers,
        RegisteredMemory memory,
        Accelerators accelerators,
        MetaDataCache metaDataCache,
        RendezvousOptions options,
        long maxTensorBytes,
        RendezvousCounters counters,
        BiConsumer<String, ChannelWaiter> channels) {
    /// Memory for a tensor that a peer has announced, and `receive` is to get. On a worker, for it may wait at the
    /// memory's limit.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the tensor is larger than any that is received, or there is
    ///     no memory; what has broken the accelerator that it is to be on
    Destination allocate(TensorMetaData metaData, RemoteReceive receive) {
        if (metaData.byteSize() > maxTensorBytes) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + metaData.byteSize() + " bytes was announced, at most " + maxTensorBytes
                            + " are taken");
        }
        AcceleratorUnit unit = receive.accelerator();
        return unit != null && StagedResult.isFor(metaData)
                ? StagedResult.allocate(metaData, receive.options(), unit)
                : HostResult.allocate(metaData, receive.options(), memory, true);
    }
}
