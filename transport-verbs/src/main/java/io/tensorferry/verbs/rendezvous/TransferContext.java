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
    /// @param pieces that the peer lets be named at once; 0 if the content comes as a whole
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the tensor is larger than any that is received, or there is
    ///     no memory; what has broken the accelerator that it is to be on
    Destination allocate(TensorMetaData metaData, RemoteReceive receive, int pieces) {
        if (metaData.byteSize() > maxTensorBytes) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + metaData.byteSize() + " bytes was announced, at most " + maxTensorBytes
                            + " are taken");
        }
        AcceleratorUnit unit = receive.accelerator();
        if (unit == null || !StagedResult.isFor(metaData)) {
            return HostResult.allocate(metaData, receive.options(), memory, true);
        }
        if (pieces == 0 || metaData.byteSize() <= unit.options().pieceBytes()) {
            return StagedResult.allocate(metaData, receive.options(), unit);
        }
        return new PieceReceiver(
                this, receive, unit, StagedResult.allocateTensor(metaData, receive.options(), unit), pieces);
    }
}
