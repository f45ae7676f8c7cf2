package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.rendezvous.content.HostResult;
import io.tensorferry.verbs.rendezvous.content.TransferContext;

/// Chooses and allocates the destination of a receive: in host memory, written directly by the NIC into an accelerator,
/// through a proxy, or in pieces.
///
/// Stateless. Threading: any thread.
public final class Destinations {
    private Destinations() {}

    /// Allocates the destination of a tensor that a peer has announced. Call on a worker: it may wait for memory at the
    /// limit.
    ///
    /// @param carried whether the content came with its announcement
    /// @param pieces the number of pieces that the peer allows to be named at once; 0 if the content comes as a whole
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the tensor exceeds the size limit or there is no memory; the
    ///     failure that has broken the accelerator of the result
    public static Destination allocate(
            TransferContext context, TensorMetaData metaData, RemoteReceive receive, boolean carried, int pieces) {
        if (metaData.byteSize() > context.maxTensorBytes()) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + metaData.byteSize() + " bytes was announced; the limit is "
                            + context.maxTensorBytes() + " bytes");
        }
        AcceleratorUnit unit = receive.accelerator();
        if (unit == null || !StagedResult.isFor(metaData)) {
            Destination host = HostResult.allocate(metaData, receive.options(), context.memory(), true);
            return inPieces(context, host, metaData, receive, pieces);
        }
        boolean mayBeDirect = !carried && DirectResult.isPossible(unit, context.dataValidation());
        boolean inPieces = pieces > 0 && metaData.byteSize() > unit.options().pieceBytes();
        if (!mayBeDirect && !inPieces) {
            return StagedResult.allocate(metaData, receive.options(), unit);
        }
        Tensor tensor = StagedResult.allocateTensor(metaData, receive.options(), unit);
        try {
            DirectResult direct = mayBeDirect ? DirectResult.of(unit, tensor, context.memory()) : null;
            if (direct != null) {
                return inPieces(context, direct, metaData, receive, pieces);
            }
            return inPieces ? new PieceReceiver(context, receive, unit, tensor, pieces) : StagedResult.of(unit, tensor);
        } catch (RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    /// Returns the result itself, or a destination in pieces if it is larger than one message may name. A result that
    /// cannot come in pieces, because the sender serves none or the content is serialised, gets no key.
    private static Destination inPieces(
            TransferContext context, Destination whole, TensorMetaData metaData, RemoteReceive receive, int pieces) {
        NamedMemory named = whole.named();
        return pieces == 0
                        || named == null
                        || named.length() <= context.mostNamedBytes()
                        || !metaData.dataType().isDmaAble()
                ? whole
                : new WindowedPieces(receive, whole, named, context.mostNamedBytes(), pieces);
    }

    /// Whether a request may name memory before its tensor is announced. Excludes scarce proxies; accelerator memory
    /// qualifies only if it is known to be registered.
    public static boolean mayNameAtOnce(TransferContext context, RemoteReceive receive) {
        AcceleratorUnit unit = receive.accelerator();
        return unit == null
                || (DirectResult.isPossible(unit, context.dataValidation())
                        && DirectResult.isOwn(receive.options(), unit));
    }

    /// Allocates the destination of a tensor that is expected to match the last tensor of its key. On the caller's
    /// thread, which must not block.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory now; the failure that has broken the
    ///     accelerator
    public static Destination allocateNow(TransferContext context, TensorMetaData metaData, RemoteReceive receive) {
        AcceleratorUnit unit = receive.accelerator();
        return unit == null || !StagedResult.isFor(metaData)
                ? HostResult.allocate(metaData, receive.options(), context.memory(), false)
                : DirectResult.allocateNow(metaData, unit, context.memory());
    }
}
