package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.channel.MemoryGrant;
import io.tensorferry.verbs.channel.MemoryNaming;
import io.tensorferry.verbs.channel.NamedMemory;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Checksum;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One receive of a tensor on another worker: performs what [RequestState] decides.
///
/// Owner: the loop; made on the caller's thread and handed to the loop with its first event.
final class TensorRequest implements ChannelWaiter {
    private static final Logger LOG = LoggerFactory.getLogger(TensorRequest.class);

    private final TransferContext context;
    private final PeerTransfers transfers;
    private final RemoteReceive receive;
    private final int index;
    private final long order;
    private RequestState state;
    private @Nullable Destination destination;
    private MemoryGrant grant = MemoryGrant.LASTING;
    private @Nullable RdmaChannel channel;
    private OptionalLong checksum = OptionalLong.empty();
    // Which life of the peer was asked, and on which channel last.
    private long askedIncarnation;
    private long askedConnectionId;
    // Tells the present allocation from one whose channel was lost meanwhile.
    private int allocations;

    private TensorRequest(
            TransferContext context,
            PeerTransfers transfers,
            RemoteReceive receive,
            @Nullable TensorMetaData expected,
            @Nullable Destination destination) {
        this.context = context;
        this.transfers = transfers;
        this.receive = receive;
        this.destination = destination;
        this.state = new RequestState.AwaitingChannel(expected, false);
        this.order = transfers.nextOrder();
        this.index = transfers.requests().add(this);
    }

    /// A request with an index, and with memory if the metadata of its key is known. Any thread.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory or no index left
    static TensorRequest create(TransferContext context, PeerTransfers transfers, RemoteReceive receive) {
        TensorMetaData expected = context.metaDataCache().get(receive.key());
        Destination destination = null;
        if (expected != null) {
            try {
                // The caller must not wait: where there is no memory now, a worker waits for it, if that is wanted.
                destination = Destination.allocate(expected, context.memory(), false);
            } catch (TransportException e) {
                // The tensor may be smaller this time: the sender is asked before the receive fails.
                LOG.debug("no memory for {} as it was last time, {}", receive.key(), expected, e);
                expected = null;
            }
        }
        (expected == null ? context.counters().coldRequests : context.counters().warmRequests).increment();
        try {
            return new TensorRequest(context, transfers, receive, expected, destination);
        } catch (TransportException e) {
            if (destination != null) {
                destination.close();
            }
            throw e;
        }
    }

    RendezvousKey key() {
        return receive.key();
    }

    /// Grows with each request to the peer: of two for one key the older is to be served first.
    long order() {
        return order;
    }

    boolean usesChannel(RdmaChannel lost) {
        return channel == lost;
    }

    @Override
    public void onChannel(RdmaChannel opened) {
        if (!(state instanceof RequestState.AwaitingChannel(var _, var replay))) {
            return;
        }
        if (replay && opened.peerIncarnation() != askedIncarnation) {
            on(new RequestState.Event.ChannelLost(new TransportException(
                    StatusCode.ABORTED, "the peer that was asked was restarted", receive.peer(), 0, null)));
            return;
        }
        channel = opened;
        askedIncarnation = opened.peerIncarnation();
        askedConnectionId = opened.description().connectionId();
        on(new RequestState.Event.ChannelOpen());
    }

    /// The device may write into the memory whatever becomes of this request: nobody gets it any more.
    void strandMemory() {
        destination = null;
    }

    /// The channel is lost, the peer may go on over another one.
    void onSuspended() {
        channel = null;
        // It ended with the channel.
        grant = MemoryGrant.LASTING;
        checksum = OptionalLong.empty();
        allocations++;
        on(new RequestState.Event.ChannelSuspended());
    }

    @Override
    public void onNoChannel(TransportException cause) {
        on(new RequestState.Event.ChannelLost(cause));
    }

    @Override
    public void onFallback(TransportException cause) {
        if (transfers.fallback() == null) {
            onNoChannel(cause);
        } else {
            on(new RequestState.Event.FallbackOpen());
        }
    }

    void onMetaData(Message.MetaDataResponse message) {
        checksum = message.checksum();
        requireChecksum();
        on(new RequestState.Event.MetaDataChanged(message.metaData()));
    }

    void onContent() {
        requireChecksum();
        on(new RequestState.Event.ContentLanded());
    }

    /// A peer that leaves the checksum out would otherwise pass unverified.
    private void requireChecksum() {
        if (context.options().dataValidation() && checksum.isEmpty()) {
            throw new ProtocolViolationException("an answer without the checksum that was asked for");
        }
    }

    void on(RequestState.Event event) {
        RequestState.Step step = RequestState.step(state, event);
        state = step.next();
        for (RequestState.Action action : step.actions()) {
            perform(action);
        }
    }

    private void perform(RequestState.Action action) {
        switch (action) {
            case RequestState.Action.SendRequest(var expected, var replay) -> sendRequest(expected, replay);
            case RequestState.Action.AwaitChannel() -> context.channels().accept(receive.peer(), this);
            case RequestState.Action.MoveToFallback(var replay) -> moveToFallback(replay);
            case RequestState.Action.Allocate(var metaData) -> allocate(metaData);
            case RequestState.Action.SendReRequest(var metaData) -> sendReRequest(metaData);
            case RequestState.Action.SendGiveUp() ->
                send(new Message.ErrorStatus(
                        receive.stepId(),
                        index,
                        Message.Direction.TO_SENDER,
                        StatusCode.CANCELLED,
                        "the receiver gave the request up"));
            case RequestState.Action.RevokeKey() -> takeGrant().revoke(() -> on(new RequestState.Event.KeyRevoked()));
            case RequestState.Action.Deliver(var metaData) -> deliver(metaData, takeDestination());
            case RequestState.Action.Fail(var cause) -> {
                context.counters().failedReceives.increment();
                receive.complete(new RecvResult.Failed(cause));
            }
            case RequestState.Action.ReleaseMemory() -> {
                if (destination != null) {
                    takeGrant().revoke(takeDestination()::close);
                }
            }
            case RequestState.Action.Forget() -> transfers.requests().remove(index);
        }
    }

    private void moveToFallback(boolean replay) {
        FallbackReceives fallback = transfers.fallback();
        if (fallback == null) {
            throw new IllegalStateException("there is no fallback for " + key());
        }
        fallback.add(receive, replay ? new SentRequest(index, askedConnectionId, askedIncarnation) : null);
    }

    private void sendRequest(@Nullable TensorMetaData expected, boolean replay) {
        try {
            Destination allocated = destination;
            Message.TensorRequest message = request(expected, replay, allocated, 0);
            if (expected != null && channel != null && !channel.fits(message)) {
                // There is room for the key, but not for the metadata beside it.
                takeDestination().close();
                state = new RequestState.AwaitingReply(null);
                send(request(null, replay, null, 0));
            } else {
                send(allocated, message, key -> request(expected, replay, allocated, key));
            }
        } catch (IllegalArgumentException e) {
            on(new RequestState.Event.Refused(new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the rendezvous key cannot be sent: " + e.getMessage(), e)));
        }
    }

    private Message.TensorRequest request(
            @Nullable TensorMetaData expected, boolean replay, @Nullable Destination allocated, int remoteKey) {
        return new Message.TensorRequest(
                receive.stepId(),
                index,
                receive.key().toString(),
                expected,
                allocated == null ? 0 : allocated.address(),
                remoteKey,
                context.options().dataValidation(),
                replay);
    }

    /// Sends a message that names the memory, if there is any to be written.
    ///
    /// @param keyless the message where there is none
    private void send(@Nullable Destination allocated, Message keyless, IntFunction<Message> naming) {
        NamedMemory named = allocated == null ? null : allocated.named();
        if (named == null) {
            send(keyless);
        } else if (channel != null) {
            grant = channel.send(named, index, new MemoryNaming() {
                @Override
                public OutgoingMessage message(int remoteKey) {
                    return naming.apply(remoteKey);
                }

                @Override
                public void onRefused(TransportException cause) {
                    on(new RequestState.Event.NoKey(cause));
                }
            });
        }
    }

    private void send(Message message) {
        if (channel != null) {
            channel.send(message);
        }
    }

    private Destination takeDestination() {
        Destination taken = destination;
        if (taken == null) {
            throw new IllegalStateException("the request for " + key() + " has no memory in state " + state);
        }
        destination = null;
        return taken;
    }

    private MemoryGrant takeGrant() {
        MemoryGrant taken = grant;
        grant = MemoryGrant.LASTING;
        return taken;
    }

    private void allocate(TensorMetaData metaData) {
        context.counters().reRequests.increment();
        int allocation = ++allocations;
        // A new slab may have to be registered, which takes long.
        context.workers().execute(() -> {
            try {
                Destination allocated = context.allocate(metaData);
                context.loop().execute(() -> onAllocated(allocation, metaData, allocated));
            } catch (RuntimeException e) {
                TransportException cause = asFailure(e);
                context.loop().execute(() -> {
                    if (allocation == allocations) {
                        on(new RequestState.Event.AllocationFailed(cause));
                    }
                });
            }
        });
    }

    private void onAllocated(int allocation, TensorMetaData metaData, Destination allocated) {
        if (allocation != allocations) {
            // Its channel was lost meanwhile, and the request asked again without it; no message has named it.
            allocated.close();
            return;
        }
        // Only what could be allocated is expected next time.
        context.metaDataCache().put(key(), metaData);
        destination = allocated;
        on(new RequestState.Event.Allocated());
    }

    private void sendReRequest(TensorMetaData metaData) {
        Destination allocated = destination;
        if (allocated == null) {
            throw new IllegalStateException("the request for " + key() + " has no memory to be written into");
        }
        send(allocated, reRequest(metaData, allocated, 0), key -> reRequest(metaData, allocated, key));
    }

    private Message.TensorReRequest reRequest(TensorMetaData metaData, Destination allocated, int remoteKey) {
        return new Message.TensorReRequest(receive.stepId(), index, metaData, allocated.address(), remoteKey);
    }

    private void deliver(TensorMetaData metaData, Destination landed) {
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(metaData.byteSize());
        if (checksum.isPresent() || landed.isSerialised()) {
            context.workers().execute(() -> complete(metaData, landed));
        } else {
            complete(metaData, landed);
        }
    }

    /// Verifies, decodes, hands over. On the loop where there is nothing to verify or decode.
    private void complete(TensorMetaData metaData, Destination landed) {
        try {
            receive.complete(open(metaData, landed));
        } catch (RuntimeException e) {
            landed.close();
            context.counters().failedReceives.increment();
            receive.complete(new RecvResult.Failed(asFailure(e)));
        }
    }

    /// Whatever goes wrong here, the receive ends.
    private TransportException asFailure(RuntimeException e) {
        return e instanceof TransportException known
                ? known
                : new TransportException(
                        StatusCode.INTERNAL, "the receive of " + key() + " failed: " + e, receive.peer(), 0, e);
    }

    private RecvResult open(TensorMetaData metaData, Destination landed) {
        if (checksum.isPresent() && Checksum.of(landed.content()) != checksum.getAsLong()) {
            context.counters().checksumMismatches.increment();
            throw new TransportException(
                    StatusCode.DATA_LOSS,
                    "the content of " + key() + " does not match its checksum",
                    receive.peer(),
                    0,
                    null);
        }
        if (metaData.dead()) {
            return new RecvResult.Dead();
        }
        Tensor tensor = landed.tensor();
        if (tensor == null) {
            tensor = TensorProtoCodec.decode(
                    landed.content(), metaData, context.memory().allocator());
            landed.close();
        }
        return new RecvResult.Received(tensor);
    }
}
