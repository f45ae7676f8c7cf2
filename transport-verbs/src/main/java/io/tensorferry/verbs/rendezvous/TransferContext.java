package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.concurrent.Executor;

/// What the transfers of one worker share. Immutable.
///
/// @param accelerators of the worker
/// @param loop runs commands on the completion loop
/// @param workers runs work that may take long
/// @param maxTensorBytes the largest tensor that is received
/// @param mostNamedBytes what one message names at most; larger contents come in pieces
record TransferContext(
        Executor loop,
        Executor workers,
        RegisteredMemory memory,
        Accelerators accelerators,
        MetaDataCache metaDataCache,
        RendezvousOptions options,
        long maxTensorBytes,
        long mostNamedBytes,
        RendezvousCounters counters,
        ChannelSource channels) {
    /// Memory for a tensor that a peer has announced, and `receive` is to get. On a worker, for it may wait at the
    /// memory's limit.
    ///
    /// @param carried whether the content came with its announcement
    /// @param pieces that the peer lets be named at once; 0 if the content comes as a whole
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the tensor is larger than any that is received, or there is
    ///     no memory; what has broken the accelerator that it is to be on
    Destination allocate(TensorMetaData metaData, RemoteReceive receive, boolean carried, int pieces) {
        if (metaData.byteSize() > maxTensorBytes) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + metaData.byteSize() + " bytes was announced, at most " + maxTensorBytes
                            + " are taken");
        }
        AcceleratorUnit unit = receive.accelerator();
        if (unit == null || !StagedResult.isFor(metaData)) {
            return inPieces(HostResult.allocate(metaData, receive.options(), memory, true), metaData, receive, pieces);
        }
        boolean mayBeDirect = !carried && DirectResult.isPossible(unit, options);
        boolean inPieces = pieces > 0 && metaData.byteSize() > unit.options().pieceBytes();
        if (!mayBeDirect && !inPieces) {
            return StagedResult.allocate(metaData, receive.options(), unit);
        }
        Tensor tensor = StagedResult.allocateTensor(metaData, receive.options(), unit);
        try {
            DirectResult direct = mayBeDirect ? DirectResult.of(unit, tensor, memory) : null;
            if (direct != null) {
                return inPieces(direct, metaData, receive, pieces);
            }
            return inPieces ? new PieceReceiver(this, receive, unit, tensor, pieces) : StagedResult.of(unit, tensor);
        } catch (RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    /// The result itself, or in pieces if it is larger than one message may name. Where it cannot come in pieces,
    /// because
    /// the sender serves none or it is serialised, it gets no key.
    private Destination inPieces(Destination whole, TensorMetaData metaData, RemoteReceive receive, int pieces) {
        NamedMemory named = whole.named();
        return pieces == 0
                        || named == null
                        || named.length() <= mostNamedBytes
                        || !metaData.dataType().isDmaAble()
                ? whole
                : new WindowedPieces(receive, whole, named, mostNamedBytes, pieces);
    }

    /// Whether a request may name memory before its tensor is announced. Not what is scarce; and of an accelerator only
    /// such as is known to be registered.
    boolean mayNameAtOnce(RemoteReceive receive) {
        AcceleratorUnit unit = receive.accelerator();
        return unit == null || (DirectResult.isPossible(unit, options) && DirectResult.isOwn(receive.options(), unit));
    }

    /// Memory for a tensor that is expected to be as the last one for its key. On the caller's thread, which must not
    /// wait.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is none now; what has broken the accelerator
    Destination allocateNow(TensorMetaData metaData, RemoteReceive receive) {
        AcceleratorUnit unit = receive.accelerator();
        return unit == null || !StagedResult.isFor(metaData)
                ? HostResult.allocate(metaData, receive.options(), memory, false)
                : DirectResult.allocateNow(metaData, unit, memory);
    }
}
