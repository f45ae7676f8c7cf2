package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.Checksum;
import java.util.OptionalLong;

/// What landed for a receive, on its way to the user: verified, and decoded where it is serialised.
///
/// Stateless; any thread.
final class ReceivedContent {
    private ReceivedContent() {}

    /// Verifies, decodes, hands over; the memory is the result's from now on, or free. Takes long where there is a
    /// checksum or a serialised form.
    static void deliver(
            TransferContext context,
            RemoteReceive receive,
            TensorMetaData metaData,
            Destination landed,
            OptionalLong checksum) {
        try {
            receive.complete(open(context, receive, metaData, landed, checksum));
        } catch (RuntimeException e) {
            landed.close();
            context.counters().failedReceives.increment();
            receive.complete(new RecvResult.Failed(asFailure(receive.key(), receive.peer(), e)));
        }
    }

    /// Whatever goes wrong, a receive ends.
    static TransportException asFailure(RendezvousKey key, String peer, RuntimeException e) {
        return e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, "the receive of " + key + " failed: " + e, peer, 0, e);
    }

    private static RecvResult open(
            TransferContext context,
            RemoteReceive receive,
            TensorMetaData metaData,
            Destination landed,
            OptionalLong checksum) {
        if (checksum.isPresent() && Checksum.of(landed.content()) != checksum.getAsLong()) {
            context.counters().checksumMismatches.increment();
            throw new TransportException(
                    StatusCode.DATA_LOSS,
                    "the content of " + receive.key() + " does not match its checksum",
                    receive.peer(),
                    0,
                    null);
        }
        if (metaData.dead()) {
            return new RecvResult.Dead();
        }
        return switch (landed) {
            case HostResult host -> open(context, metaData, host);
        };
    }

    private static RecvResult open(TransferContext context, TensorMetaData metaData, HostResult landed) {
        RecvResult ready = landed.result();
        if (ready != null) {
            return ready;
        }
        Tensor decoded = TensorProtoCodec.decode(
                landed.content(), metaData, context.memory().allocator());
        landed.close();
        return new RecvResult.Received(decoded);
    }
}
