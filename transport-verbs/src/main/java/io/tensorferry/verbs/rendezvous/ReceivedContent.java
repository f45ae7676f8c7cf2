package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Checksum;
import java.util.Objects;
import java.util.OptionalLong;

/// What landed for a receive, on its way to the user: verified, decoded where it is serialised, and copied where the
/// user's memory is not registered, or on an accelerator.
///
/// Stateless; any thread.
final class ReceivedContent {
    private ReceivedContent() {}

    /// Verifies, decodes, hands over; the memory is the result's from now on, or free. Takes long where there is a
    /// checksum or a buffer.
    static void deliver(
            TransferContext context,
            RemoteReceive receive,
            TensorMetaData metaData,
            Destination landed,
            OptionalLong checksum) {
        try {
            if (landed instanceof DirectResult direct) {
                // No checksum was asked for.
                deliver(context, receive, direct);
                return;
            }
            verify(context, receive, landed, checksum);
            if (landed instanceof StagedResult staged && staged.isStaged()) {
                new StagedDelivery(context, receive, staged).start();
            } else {
                receive.complete(open(context, receive, metaData, landed));
            }
        } catch (RuntimeException | Error e) {
            giveBack(context, landed);
            context.counters().failedReceives.increment();
            receive.complete(new RecvResult.Failed(asFailure(receive.key(), receive.peer(), e)));
        }
    }

    private static void deliver(TransferContext context, RemoteReceive receive, DirectResult landed) {
        landed.unit().countDirect();
        if (landed.unit().flushesNicWrites()) {
            new DirectDelivery(context, receive, landed).start();
        } else {
            receive.complete(landed.result());
        }
    }

    /// Whatever goes wrong, a receive ends.
    static TransportException asFailure(RendezvousKey key, String peer, Throwable e) {
        return e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, "the receive of " + key + " failed: " + e, peer, 0, e);
    }

    private static void giveBack(TransferContext context, Destination landed) {
        switch (landed) {
            case HostResult host -> host.close();
            case DirectResult direct -> direct.close();
            // Proxies are the loop's.
            case StagedResult staged -> context.loop().execute(staged::close);
            case PieceDestination pieces -> context.loop().execute(pieces::close);
        }
    }

    private static void verify(
            TransferContext context, RemoteReceive receive, Destination landed, OptionalLong checksum) {
        if (checksum.isPresent() && Checksum.of(landed.content()) != checksum.getAsLong()) {
            context.counters().checksumMismatches.increment();
            throw new TransportException(
                    StatusCode.DATA_LOSS,
                    "the content of " + receive.key() + " does not match its checksum",
                    receive.peer(),
                    0,
                    null);
        }
    }

    private static RecvResult open(
            TransferContext context, RemoteReceive receive, TensorMetaData metaData, Destination landed) {
        if (metaData.dead()) {
            return new RecvResult.Dead();
        }
        return switch (landed) {
            case HostResult host -> open(context, receive, metaData, host);
            case DirectResult direct -> direct.result();
            case StagedResult staged -> staged.result();
            case PieceDestination _ -> throw new IllegalStateException("pieces are no result");
        };
    }

    private static RecvResult open(
            TransferContext context, RemoteReceive receive, TensorMetaData metaData, HostResult landed) {
        RecvResult.Received result = landed.result();
        RegisteredBuffer buffer = landed.buffer();
        if (buffer == null) {
            return Objects.requireNonNull(result, "there is neither a result nor a buffer");
        }
        if (result == null) {
            // Strings are in host memory, wherever else the result was to be.
            TensorAllocator allocator = receive.accelerator() == null
                    ? ResultAllocator.of(receive.options(), context.memory(), true)
                    : context.memory().allocator();
            result = new RecvResult.Received(TensorProtoCodec.decode(buffer.segment(), metaData, allocator));
        } else {
            context.counters().copiedResults.increment();
            result.tensor().segment().copyFrom(buffer.segment());
        }
        buffer.close();
        return result;
    }
}
