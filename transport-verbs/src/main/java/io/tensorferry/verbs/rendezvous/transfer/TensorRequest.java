package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.content.Destination;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackReceives;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import io.tensorferry.verbs.rendezvous.staged.Destinations;
import io.tensorferry.verbs.rendezvous.staged.StagedResult;
import io.tensorferry.verbs.rendezvous.transfer.RequestState.Action;
import io.tensorferry.verbs.rendezvous.transfer.RequestState.Event;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One receive of a tensor on another worker: performs the actions of [RequestState], and sends the messages of the
/// request.
///
/// The request is also the command that starts it, its own first message, and the waiter for its channel, its key and
/// its memory: a transfer that proceeds as expected allocates nothing on the loop.
///
/// Owner: the loop; created on the caller's thread, and handed to the loop by [#run].
final class TensorRequest
        implements Runnable, OutgoingMessage, MemoryNaming, ChannelWaiter, MemoryGrant.Revoked, Destination.Asker {
    private static final Logger LOG = LoggerFactory.getLogger(TensorRequest.class);

    private final TransferContext context;
    private final PeerTransfers transfers;
    private final RemoteReceive receive;
    private final int index;
    private final long order;
    private RequestState state = RequestState.AWAITING_CHANNEL;
    // The metadata that the destination is for.
    private @Nullable TensorMetaData metaData;
    private @Nullable Destination destination;
    // A destination that does not have its memory yet.
    private @Nullable Destination preparing;
    private MemoryGrant grant = MemoryGrant.LASTING;
    private OptionalLong checksum = OptionalLong.empty();
    // The metadata that arrived last, and the content that came with it.
    private @Nullable TensorMetaData arrived;
    private @Nullable MemorySegment carried;
    // Whether the request was sent on a channel that is lost.
    private boolean replay;
    // The incarnation of the peer that has the request, and the channel on which it was sent last.
    private long askedIncarnation;
    private long askedConnectionId;
    // Distinguishes the current allocation from an allocation whose channel was lost meanwhile.
    private int allocations;
    // Null if there is none; messages are then dropped.
    private @Nullable RdmaChannel channel;
    // The content of the first message that is in the ring or waits for it.
    private @Nullable TensorMetaData askedMetaData;
    private boolean askedAgain;
    private long askedAddress;
    private int askedKey;

    private TensorRequest(
            TransferContext context,
            PeerTransfers transfers,
            RemoteReceive receive,
            @Nullable TensorMetaData metaData,
            @Nullable Destination destination) {
        this.context = context;
        this.transfers = transfers;
        this.receive = receive;
        this.metaData = metaData;
        this.destination = destination;
        this.order = transfers.nextOrder();
        this.index = transfers.requests().add(this);
    }

    /// Creates a request with an index, and with memory if the metadata of its key is known. Any thread.
    ///
    /// A request whose result is on an accelerator has no memory unless the sender writes directly into the result:
    /// proxies are scarce, and are held only once the sender has announced the tensor.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory or no index left; the failure that has
    ///     broken the accelerator
    static TensorRequest create(TransferContext context, PeerTransfers transfers, RemoteReceive receive) {
        AcceleratorUnit accelerator = receive.accelerator();
        if (accelerator != null) {
            StagedResult.requireWorking(accelerator);
        }
        TensorMetaData known = Destinations.mayNameAtOnce(context, receive)
                ? transfers.metaDataCache().get(receive.key())
                : null;
        if (known != null && known.byteSize() > context.mostNamedBytes()) {
            // The content comes in pieces, which a first message does not name.
            known = null;
        }
        Destination destination = null;
        if (known != null) {
            try {
                // The caller must not block: a worker waits for memory later if necessary.
                destination = Destinations.allocateNow(context, known, receive);
            } catch (TransportException e) {
                // The tensor may be smaller this time: the sender is asked before the receive fails.
                LOG.debug("no memory for {} with the metadata of the last receive, {}", receive.key(), known, e);
                known = null;
            }
        }
        (known == null ? context.counters().coldRequests : context.counters().warmRequests).increment();
        try {
            return new TensorRequest(context, transfers, receive, known, destination);
        } catch (TransportException e) {
            if (destination != null) {
                destination.close();
            }
            throw e;
        }
    }

    @Override
    public int index() {
        return index;
    }

    /// Increases with each request to the peer: of two requests for one key, the older is served first.
    long order() {
        return order;
    }

    boolean usesChannel(RdmaChannel lost) {
        return channel == lost;
    }

    private RendezvousKey key() {
        return receive.key();
    }

    /// The command that starts the request.
    @Override
    public void run() {
        if (state == RequestState.ENDED) {
            // The user gave up before the request started.
            return;
        }
        FallbackReceives receives = transfers.fallback();
        if (receives != null && receives.holds(receive.stepId(), receive.key())) {
            // Queued behind the other requests of its key, which the peer may not have yet.
            on(Event.FALLBACK_OPEN);
        } else {
            transfers.channels().withChannel(receive.peer(), this);
        }
    }

    @Override
    public void onChannel(RdmaChannel opened) {
        if (state != RequestState.AWAITING_CHANNEL) {
            return;
        }
        if (replay && opened.peerIncarnation() != askedIncarnation) {
            onChannelLost(new TransportException(
                    StatusCode.ABORTED, "the peer was restarted after the request", receive.peer(), 0, null));
            return;
        }
        channel = opened;
        askedIncarnation = opened.peerIncarnation();
        askedConnectionId = opened.connectionId();
        on(destination == null ? Event.CHANNEL_OPEN : Event.CHANNEL_OPEN_WITH_MEMORY);
    }

    /// Abandons the memory, which the device may still write after this request has ended: it is never reused.
    void strandMemory() {
        Destination left = destination;
        if (left != null) {
            left.strand();
            destination = null;
        }
    }

    /// The channel is lost; the peer may continue over another channel.
    void onSuspended() {
        channel = null;
        // The grant ended with the channel.
        grant = MemoryGrant.LASTING;
        checksum = OptionalLong.empty();
        allocations++;
        Destination named = destination;
        on(named != null && named.outlivesChannel() ? Event.SUSPENDED_WITH_MEMORY : Event.SUSPENDED);
    }

    /// The channel is lost, and the request with it.
    void onChannelLost(TransportException cause) {
        on(Event.CHANNEL_LOST, cause);
    }

    /// The peer has answered with an error, and writes nothing.
    void onRefusedByPeer(TransportException cause) {
        on(Event.REFUSED, cause);
    }

    /// The user does not wait any more. Any thread.
    void giveUp() {
        context.loop().execute(() -> on(Event.USER_GAVE_UP));
    }

    @Override
    public void onNoChannel(TransportException cause) {
        onChannelLost(cause);
    }

    @Override
    public void onFallback(TransportException cause) {
        if (transfers.fallback() == null) {
            onNoChannel(cause);
        } else {
            on(Event.FALLBACK_OPEN);
        }
    }

    void onMetaData(Message.MetaDataResponse message) {
        checksum = message.checksum();
        requireChecksum();
        arrived = message.metaData();
        ByteBuffer content = message.content();
        if (content == null) {
            on(Event.METADATA_CHANGED);
            return;
        }
        carried = MemorySegment.ofBuffer(content);
        on(Event.CONTENT_CARRIED);
        if (state == RequestState.FILLING) {
            // The loss of the channel does not matter any more.
            channel = null;
        }
    }

    /// The content came inside the ring.
    ///
    /// @throws ProtocolViolationException if the request named memory of another size
    void onCarriedContent(SlotReader message) {
        Destination into = destination;
        if (into != null && !into.isWhole() && state != RequestState.LANDED) {
            throw new ProtocolViolationException("a message carries the content of a request in pieces");
        }
        if (isAsked() || state == RequestState.AWAITING_CONTENT) {
            fill(message, into);
        }
        onContent();
    }

    private boolean isAsked() {
        return state == RequestState.ASKED || state == RequestState.ASKED_WITH_MEMORY;
    }

    private void fill(SlotReader message, @Nullable Destination into) {
        int bytes = message.contentBytes();
        NamedMemory named = into == null ? null : into.named();
        long room = named == null ? 0 : named.length();
        if (room != bytes) {
            throw new ProtocolViolationException("a content of " + bytes + " bytes for memory of " + room + " bytes");
        }
        if (into != null) {
            destination = into.fill(message);
        }
    }

    /// The content, or a part or a piece of it, has landed.
    ///
    /// @param lane the lane that it arrived on
    /// @throws ProtocolViolationException if it is a piece that was not named
    void onContent(int lane) {
        if (destination == null || state == RequestState.LANDED || destination.landed(lane)) {
            onContent();
        }
    }

    private void onContent() {
        requireChecksum();
        on(Event.CONTENT_LANDED);
    }

    /// A peer that leaves the checksum out would otherwise pass unverified.
    private void requireChecksum() {
        if (context.dataValidation() && checksum.isEmpty()) {
            throw new ProtocolViolationException("an answer without the requested checksum");
        }
    }

    private void on(Event event) {
        on(event, null);
    }

    /// @param cause the failure of an event that fails the receive, else null
    private void on(Event event, @Nullable TransportException cause) {
        RequestState.Step step = state.step(event);
        state = step.next();
        if (preparing != null && !isAllocating()) {
            dropPreparing(preparing);
        }
        if (destination != null && state == RequestState.GIVEN_UP) {
            destination.stop();
        }
        List<Action> actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            perform(actions.get(i), cause);
        }
    }

    private boolean isAllocating() {
        return state == RequestState.ALLOCATING || state == RequestState.FILLING;
    }

    private void perform(Action action, @Nullable TransportException cause) {
        switch (action) {
            case SEND_REQUEST -> sendRequest();
            case AWAIT_CHANNEL -> awaitChannel();
            case LEAVE_CHANNEL_QUEUE -> transfers.channels().withdraw(receive.peer(), this);
            case MOVE_TO_FALLBACK -> moveToFallback();
            case ALLOCATE -> allocate(Objects.requireNonNull(arrived, "no metadata has arrived"));
            case SEND_RE_REQUEST -> sendReRequest();
            case SEND_GIVE_UP -> sendGiveUp();
            case REVOKE_KEY -> takeGrant().revoke(this);
            case DELIVER -> deliver(takeDestination());
            case FAIL -> context.fail(receive, Objects.requireNonNull(cause, "a failure without a cause"));
            case RELEASE_MEMORY -> {
                if (destination != null) {
                    takeGrant().revoke(takeDestination()::close);
                }
            }
            case FORGET -> transfers.requests().remove(index);
        }
    }

    private void awaitChannel() {
        replay = true;
        if (destination == null) {
            metaData = null;
        }
        transfers.channels().withChannel(receive.peer(), this);
    }

    private void moveToFallback() {
        FallbackReceives fallback = transfers.fallback();
        if (fallback == null) {
            throw new IllegalStateException("there is no fallback for " + key());
        }
        fallback.add(receive, replay ? new SentRequest(index, askedConnectionId, askedIncarnation) : null);
    }

    @Override
    public void onRevoked() {
        on(Event.KEY_REVOKED);
    }

    private void sendRequest() {
        RdmaChannel open = channel;
        if (open == null) {
            return;
        }
        try {
            prepare(metaData, destination);
            if (metaData != null && !fits(open)) {
                // There is room for the key, but not for the metadata beside it.
                takeDestination().close();
                metaData = null;
                state = RequestState.ASKED;
                prepare(null, null);
            }
            grant = ask(open, destination);
        } catch (IllegalArgumentException e) {
            onRefusedByPeer(new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the rendezvous key cannot be sent: " + e.getMessage(), e));
        }
    }

    @Override
    public void onRefused(TransportException cause) {
        on(Event.NO_KEY, cause);
    }

    /// Does nothing if the receive has its content.
    @Override
    public void onPieceFailed(TransportException cause) {
        if (state == RequestState.AWAITING_CONTENT) {
            on(Event.NO_KEY, cause);
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

    private void allocate(TensorMetaData announced) {
        metaData = announced;
        int allocation = ++allocations;
        MemorySegment content = carried;
        RdmaChannel open = channel;
        int pieces = open == null || content != null ? 0 : open.description().peerPieces();
        // A new slab may have to be registered, which is slow.
        context.workers().execute(() -> {
            try {
                Destination allocated = Destinations.allocate(context, announced, receive, content != null, pieces);
                if (content != null) {
                    allocated.fill(content);
                }
                context.loop().execute(() -> onAllocated(allocation, announced, allocated));
            } catch (RuntimeException | Error e) {
                TransportException cause = receive.asFailure(e);
                context.loop().execute(() -> {
                    if (allocation == allocations) {
                        on(Event.ALLOCATION_FAILED, cause);
                    }
                });
            }
        });
    }

    private void onAllocated(int allocation, TensorMetaData announced, Destination allocated) {
        if (allocation != allocations) {
            // Its channel was lost meanwhile, and the request was sent again without it; no message has named it.
            allocated.close();
            return;
        }
        // The cache only gets metadata for which memory could be allocated.
        transfers.metaDataCache().put(key(), announced);
        if (isAllocating()) {
            preparing = allocated;
            allocated.prepare(receive.peer(), this);
        } else {
            destination = allocated;
            on(Event.ALLOCATED);
        }
    }

    @Override
    public void onReady() {
        destination = takePreparing();
        on(Event.ALLOCATED);
    }

    @Override
    public void onNotReady(TransportException cause) {
        takePreparing().close();
        on(Event.ALLOCATION_FAILED, cause);
    }

    private Destination takePreparing() {
        Destination taken = Objects.requireNonNull(preparing, "no destination is being prepared");
        preparing = null;
        return taken;
    }

    private void dropPreparing(Destination dropped) {
        preparing = null;
        dropped.cancelPrepare();
        dropped.close();
    }

    private void sendReRequest() {
        context.counters().reRequests.increment();
        Destination allocated = destination;
        if (allocated == null) {
            throw new IllegalStateException("the request for " + key() + " has no memory for its content");
        }
        RdmaChannel open = channel;
        if (open != null) {
            grant = allocated.ask(this, open, checksum);
            allocated.begin();
        }
    }

    private void deliver(Destination landed) {
        TensorMetaData delivered = told();
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(delivered.byteSize());
        landed.deliver(context, receive, delivered, checksum);
    }

    private TensorMetaData told() {
        return Objects.requireNonNull(metaData, "a content without metadata");
    }

    /// Sets the content of the first message.
    ///
    /// @param expected the metadata that there is memory for, or null
    /// @param memory that memory
    private void prepare(@Nullable TensorMetaData expected, @Nullable Destination memory) {
        askedMetaData = expected;
        askedAgain = replay;
        askedAddress = memory == null ? 0 : memory.address();
        askedKey = 0;
    }

    /// Whether the ring accepts the first message as prepared; only a long key can prevent that.
    ///
    /// @throws IllegalArgumentException if the key is too long for any message
    private boolean fits(RdmaChannel open) {
        return isKnown() || open.fits(fullMessage(NameId.NONE));
    }

    /// Sends the first message as prepared.
    ///
    /// @param memory the memory that it names, or null
    /// @return the peer's right to write there
    /// @throws IllegalArgumentException if the key is too long for any message
    private MemoryGrant ask(RdmaChannel open, @Nullable Destination memory) {
        NamedMemory named = memory == null ? null : memory.named();
        if (named != null) {
            return open.send(named, index, this);
        }
        open.send(this);
        return MemoryGrant.LASTING;
    }

    /// Returns the request message with the memory's rkey.
    @Override
    public OutgoingMessage message(int remoteKey) {
        askedKey = remoteKey;
        return this;
    }

    /// Whether the peer knows the key and the metadata by a name id.
    private boolean isKnown() {
        return nameId() != NameId.NONE;
    }

    private int nameId() {
        // A replay names its key: the peer compares it.
        RdmaChannel open = channel;
        return askedAgain || open == null
                ? NameId.NONE
                : transfers.outgoingNames(open).find(key(), askedMetaData);
    }

    @Override
    public int encodedSize() {
        return isKnown()
                ? MessageCodec.REPEATED_REQUEST_BYTES
                : fullMessage(NameId.NONE).encodedSize();
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        int known = nameId();
        if (known != NameId.NONE) {
            return MessageCodec.encodeRepeatedRequest(
                    target, offset, receive.stepId(), index, known, askedAddress, askedKey);
        }
        RdmaChannel open = channel;
        int given = open != null && MessageCodec.mayName(key().toString(), askedMetaData)
                ? transfers.outgoingNames(open).define(key(), askedMetaData)
                : NameId.NONE;
        return fullMessage(given).encode(target, offset, room);
    }

    private Message.TensorRequest fullMessage(int nameId) {
        return new Message.TensorRequest(
                receive.stepId(),
                index,
                nameId,
                key().toString(),
                askedMetaData,
                askedAddress,
                askedKey,
                context.dataValidation(),
                askedAgain);
    }

    @Override
    public MemoryGrant askAgain(Destination whole) {
        TensorMetaData wanted = told();
        NamedMemory named = whole.named();
        if (named == null) {
            send(reRequest(wanted, whole, 0));
            return MemoryGrant.LASTING;
        }
        RdmaChannel open = channel;
        return open == null
                ? MemoryGrant.LASTING
                : open.send(named, index, new MemoryNaming() {
                    @Override
                    public OutgoingMessage message(int remoteKey) {
                        return reRequest(wanted, whole, remoteKey);
                    }

                    @Override
                    public void onRefused(TransportException cause) {
                        TensorRequest.this.onRefused(cause);
                    }
                });
    }

    private Message.TensorReRequest reRequest(TensorMetaData wanted, Destination whole, int remoteKey) {
        return new Message.TensorReRequest(receive.stepId(), index, wanted, whole.address(), remoteKey);
    }

    @Override
    public void askInPieces() {
        send(new Message.TensorReRequest(receive.stepId(), index, told(), 0, 0, true));
    }

    private void sendGiveUp() {
        send(new Message.ErrorStatus(
                receive.stepId(),
                index,
                Message.Direction.TO_SENDER,
                StatusCode.CANCELLED,
                "the receiver gave the request up"));
    }

    private void send(Message message) {
        if (channel != null) {
            channel.send(message);
        }
    }
}
