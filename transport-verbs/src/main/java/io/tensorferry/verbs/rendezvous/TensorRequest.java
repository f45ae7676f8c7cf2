package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.wire.Message;
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

/// One receive of a tensor on another worker: performs what [RequestState] decides.
///
/// Owner: the loop; made on the caller's thread and handed to the loop as the command that starts it. It is what the
/// ring takes as its first message too ([RequestMessages]): where all goes as expected, nothing is made for it on the
/// loop.
final class TensorRequest extends RequestMessages implements Runnable, ChannelWaiter, MemoryGrant.Revoked, ProxyWaiter {
    private static final Logger LOG = LoggerFactory.getLogger(TensorRequest.class);

    private final int index;
    private final long order;
    private final @Nullable WarmRequest warm;
    private RequestState state;
    private @Nullable Destination destination;
    // What has memory on an accelerator, and waits for a proxy.
    private @Nullable StagedResult awaitingProxy;
    private MemoryGrant grant = MemoryGrant.LASTING;
    private OptionalLong checksum = OptionalLong.empty();
    // The content that came with its metadata.
    private @Nullable MemorySegment carried;
    // Which life of the peer was asked, and on which channel last.
    private long askedIncarnation;
    private long askedConnectionId;
    // Tells the present allocation from one whose channel was lost meanwhile.
    private int allocations;

    private TensorRequest(
            TransferContext context,
            PeerTransfers transfers,
            RemoteReceive receive,
            @Nullable WarmRequest warm,
            @Nullable Destination destination) {
        super(context, transfers, receive);
        this.destination = destination;
        this.warm = warm;
        this.state = warm == null ? new RequestState.AwaitingChannel(null, false) : warm.start();
        this.order = transfers.nextOrder();
        this.index = transfers.requests().add(this);
    }

    /// A request with an index, and with memory if the metadata of its key is known. Any thread.
    ///
    /// One whose result is on an accelerator has none, unless the sender writes into the result itself: proxies are
    /// scarce, and only held when the sender has said that the tensor is there.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory or no index left; what has broken the
    ///     accelerator
    static TensorRequest create(TransferContext context, PeerTransfers transfers, RemoteReceive receive) {
        AcceleratorUnit accelerator = receive.accelerator();
        if (accelerator != null) {
            StagedResult.requireWorking(accelerator);
        }
        WarmRequest warm =
                context.mayNameAtOnce(receive) ? context.metaDataCache().course(receive.key()) : null;
        if (warm != null && warm.metaData().byteSize() > context.mostNamedBytes()) {
            // It comes in pieces, which a first message does not name.
            warm = null;
        }
        Destination destination = null;
        if (warm != null) {
            try {
                // The caller must not wait: where there is no memory now, a worker waits for it, if that is wanted.
                destination = context.allocateNow(warm.metaData(), receive);
            } catch (TransportException e) {
                // The tensor may be smaller this time: the sender is asked before the receive fails.
                LOG.debug("no memory for {} as it was last time, {}", receive.key(), warm.metaData(), e);
                warm = null;
            }
        }
        (warm == null ? context.counters().coldRequests : context.counters().warmRequests).increment();
        try {
            return new TensorRequest(context, transfers, receive, warm, destination);
        } catch (TransportException e) {
            if (destination != null) {
                destination.close();
            }
            throw e;
        }
    }

    @Override
    int index() {
        return index;
    }

    /// Grows with each request to the peer: of two for one key the older is to be served first.
    long order() {
        return order;
    }

    boolean usesChannel(RdmaChannel lost) {
        return channel() == lost;
    }

    /// The command that starts it.
    @Override
    public void run() {
        if (state instanceof RequestState.Ended) {
            // The user gave up before it started.
            return;
        }
        FallbackReceives receives = transfers.fallback();
        if (receives != null && receives.holds(receive.stepId(), receive.key())) {
            // Behind the others of its key, which the peer may not have yet.
            on(new RequestState.Event.FallbackOpen());
        } else {
            context.channels().withChannel(receive.peer(), this);
        }
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
        speakOver(opened);
        askedIncarnation = opened.peerIncarnation();
        askedConnectionId = opened.description().connectionId();
        on(WarmRequest.CHANNEL_OPEN);
    }

    /// The device may write into the memory whatever becomes of this request: nobody gets it any more.
    void strandMemory() {
        Destination left = destination;
        if (left != null) {
            left.strand();
            destination = null;
        }
    }

    /// The channel is lost, the peer may go on over another one.
    void onSuspended() {
        speakOver(null);
        // It ended with the channel.
        grant = MemoryGrant.LASTING;
        checksum = OptionalLong.empty();
        allocations++;
        Destination named = destination;
        on(new RequestState.Event.ChannelSuspended(named != null && named.outlivesChannel()));
    }

    /// The user does not wait any more. Any thread.
    void giveUp() {
        context.loop().execute(() -> on(new RequestState.Event.UserGaveUp()));
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
        ByteBuffer content = message.content();
        if (content == null) {
            on(new RequestState.Event.MetaDataChanged(message.metaData()));
            return;
        }
        carried = MemorySegment.ofBuffer(content);
        on(new RequestState.Event.ContentCarried(message.metaData()));
        if (state instanceof RequestState.Filling) {
            // Its loss does not matter any more.
            speakOver(null);
        }
    }

    /// The content came inside the ring.
    ///
    /// @throws ProtocolViolationException if the request named memory for one of another size
    void onCarriedContent(SlotReader message) {
        if (destination instanceof PieceDestination && !isLanded()) {
            throw new ProtocolViolationException("a content in a message for a request in pieces");
        }
        if (state instanceof RequestState.AwaitingReply || state instanceof RequestState.AwaitingContent) {
            takeCarried(message, destination);
        }
        onContent();
    }

    private void takeCarried(SlotReader message, @Nullable Destination into) {
        int bytes = message.contentBytes();
        NamedMemory named = into == null ? null : into.named();
        long room = named == null ? 0 : named.length();
        if (room != bytes) {
            throw new ProtocolViolationException("a content of " + bytes + " bytes for memory of " + room);
        }
        if (into instanceof DirectResult direct) {
            // It goes on to the accelerator by a proxy, when there is one.
            MemorySegment content = MemorySegment.ofArray(new byte[bytes]);
            message.copyContent(content);
            destination = direct.filledWith(content);
        } else if (into != null) {
            message.copyContent(into.content());
        }
    }

    /// The content, or a part or a piece of it, has landed.
    ///
    /// @param lane by which it came
    /// @throws ProtocolViolationException if it is a piece that was not named
    void onContent(int lane) {
        if (destination instanceof PieceDestination pieces && !isLanded() && !pieces.landed(lane)) {
            return;
        }
        onContent();
    }

    private boolean isLanded() {
        return state instanceof RequestState.Landed;
    }

    private void onContent() {
        requireChecksum();
        on(WarmRequest.CONTENT_LANDED);
    }

    /// A peer that leaves the checksum out would otherwise pass unverified.
    private void requireChecksum() {
        if (context.options().dataValidation() && checksum.isEmpty()) {
            throw new ProtocolViolationException("an answer without the checksum that was asked for");
        }
    }

    void on(RequestState.Event event) {
        RequestState.Step step = warm == null ? RequestState.step(state, event) : warm.step(state, event);
        state = step.next();
        if (awaitingProxy != null && !isAllocating()) {
            dropAwaiting(awaitingProxy);
        }
        if (destination instanceof PieceDestination pieces && state instanceof RequestState.GivenUp) {
            pieces.stop();
        }
        List<RequestState.Action> actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            perform(actions.get(i));
        }
    }

    private boolean isAllocating() {
        return state instanceof RequestState.Allocating || state instanceof RequestState.Filling;
    }

    private void perform(RequestState.Action action) {
        switch (action) {
            case RequestState.Action.SendRequest(var expected, var replay) -> sendRequest(expected, replay);
            case RequestState.Action.AwaitChannel() -> context.channels().withChannel(receive.peer(), this);
            case RequestState.Action.LeaveChannelQueue() -> context.channels().withdraw(receive.peer(), this);
            case RequestState.Action.MoveToFallback(var replay) -> moveToFallback(replay);
            case RequestState.Action.Allocate(var metaData) -> allocate(metaData);
            case RequestState.Action.SendReRequest(var metaData) -> sendReRequest(metaData);
            case RequestState.Action.SendGiveUp() -> sayGivenUp();
            case RequestState.Action.RevokeKey() -> takeGrant().revoke(this);
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

    @Override
    public void onRevoked() {
        on(WarmRequest.KEY_REVOKED);
    }

    private void sendRequest(@Nullable TensorMetaData expected, boolean replay) {
        RdmaChannel open = channel();
        if (open == null) {
            return;
        }
        try {
            prepare(expected, replay, destination);
            if (expected != null && !fits(open)) {
                // There is room for the key, but not for the metadata beside it.
                takeDestination().close();
                state = new RequestState.AwaitingReply(null);
                prepare(null, replay, null);
            }
            grant = ask(open, destination);
        } catch (IllegalArgumentException e) {
            on(new RequestState.Event.Refused(new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the rendezvous key cannot be sent: " + e.getMessage(), e)));
        }
    }

    @Override
    public void onRefused(TransportException cause) {
        on(new RequestState.Event.NoKey(cause));
    }

    /// There is no proxy or no key for a piece, or it cannot be copied: no other is named. Not told where the receive
    /// has its content.
    void onPieceFailed(TransportException cause) {
        if (state instanceof RequestState.AwaitingContent) {
            on(new RequestState.Event.NoKey(cause));
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
        int allocation = ++allocations;
        MemorySegment content = carried;
        RdmaChannel open = channel();
        int pieces = open == null || content != null ? 0 : open.description().peerPieces();
        // A new slab may have to be registered, which takes long.
        context.workers().execute(() -> {
            try {
                Destination allocated = context.allocate(metaData, receive, content != null, pieces);
                if (content != null && !(allocated instanceof StagedResult)) {
                    allocated.content().copyFrom(content);
                }
                context.loop().execute(() -> onAllocated(allocation, metaData, allocated));
            } catch (RuntimeException | Error e) {
                TransportException cause = ReceivedContent.asFailure(key(), receive.peer(), e);
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
        if (allocated instanceof StagedResult staged && staged.needsProxy() && isAllocating()) {
            awaitingProxy = staged;
            staged.acquireProxy(receive.peer(), this);
        } else {
            destination = allocated;
            on(new RequestState.Event.Allocated());
        }
    }

    @Override
    public void onProxy(Proxy proxy) {
        StagedResult staged = takeAwaiting();
        staged.take(proxy);
        MemorySegment content = carried;
        if (content != null) {
            // At most a slot of the ring.
            staged.content().copyFrom(content);
        }
        destination = staged;
        on(new RequestState.Event.Allocated());
    }

    @Override
    public void onNoProxy(TransportException cause) {
        takeAwaiting().close();
        on(new RequestState.Event.AllocationFailed(cause));
    }

    private StagedResult takeAwaiting() {
        StagedResult taken = Objects.requireNonNull(awaitingProxy, "it waits for no proxy");
        awaitingProxy = null;
        return taken;
    }

    private void dropAwaiting(StagedResult dropped) {
        awaitingProxy = null;
        dropped.cancelProxy(this);
        dropped.close();
    }

    private void sendReRequest(TensorMetaData metaData) {
        context.counters().reRequests.increment();
        Destination allocated = destination;
        if (allocated == null) {
            throw new IllegalStateException("the request for " + key() + " has no memory to be written into");
        }
        RdmaChannel open = channel();
        if (allocated instanceof PieceDestination pieces && open != null) {
            askInPieces(metaData);
            grant = pieces;
            pieces.begin(this, open, checksum);
        } else {
            grant = askAgain(metaData, allocated);
        }
    }

    private void deliver(TensorMetaData metaData, Destination arrived) {
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(metaData.byteSize());
        if (arrived instanceof PieceReceiver pieces) {
            pieces.deliver();
            return;
        }
        Destination landed = arrived instanceof WindowedPieces pieces ? pieces.whole() : arrived;
        OptionalLong told = checksum;
        if (told.isPresent() || landed.needsWork()) {
            context.workers().execute(() -> ReceivedContent.deliver(context, receive, metaData, landed, told));
        } else {
            ReceivedContent.deliver(context, receive, metaData, landed, told);
        }
    }
}
