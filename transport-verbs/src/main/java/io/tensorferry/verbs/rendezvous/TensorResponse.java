package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One answer to a peer's request for a tensor of this worker: performs what [ResponseState] decides.
///
/// Where all goes as the peer expects, it makes nothing on the loop: it waits in the table itself, is the command that
/// brings the tensor to the loop, and is used for another request afterwards ([ResponsePool]).
///
/// Owner: the loop, but for [#done], which the table calls on the thread that made the match.
final class TensorResponse extends TagTable.Waiter implements Runnable, PeerRequest {
    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final SourcePreparation sources;
    private final ResponsePool pool;
    private final OutgoingContent direct = new OutgoingContent();
    private final ResponseWrite write;
    // The one behind it in its slot of the table of responses.
    @Nullable
    TensorResponse nextOfSlot;

    private @Nullable PeerTransfers transfers;
    // Of the step, until the answer is on its way.
    private @Nullable RdmaRendezvous rendezvous;
    // The same, from then on until the content has left.
    private @Nullable RdmaRendezvous delivering;
    private @Nullable PeerName name;
    // Another one when the request was asked again.
    private @Nullable RdmaChannel channel;
    private long stepId;
    private int requestIndex;
    private ResponseState state = ENDED;
    // Where the receiver has memory, if it has said so.
    private long address;
    private int remoteKey;
    // Handed over by the loop's queue of commands.
    private @Nullable RecvResult matched;
    private @Nullable OutgoingContent content;
    // What waits for the event of the tensor that the table gave.
    private @Nullable DeviceSource awaited;
    // Of a content that is on an accelerator, or asked for in pieces, while it is written.
    private @Nullable ChunkedWrite chunks;
    private boolean inPieces;
    // Whoever has claimed the content over the fallback.
    private StreamedRequest.@Nullable Taker claimant;

    private static final ResponseState ENDED = new ResponseState.Ended();

    TensorResponse(
            TransferContext context, StepTable<RdmaRendezvous> steps, SourcePreparation sources, ResponsePool pool) {
        this.context = context;
        this.steps = steps;
        this.sources = sources;
        this.pool = pool;
        this.write = new ResponseWrite(context.counters(), this);
    }

    /// Becomes the response to a request.
    ///
    /// @param by from the peer that asks
    /// @param wanted one with a key
    void begin(PeerTransfers by, RdmaChannel over, PeerName wanted, long step, int index) {
        transfers = by;
        channel = over;
        name = wanted;
        stepId = step;
        requestIndex = index;
        inPieces = false;
        WarmResponse warm = wanted.warm();
        state = warm == null ? new ResponseState.AwaitingTensor(wanted.expected()) : warm.start();
    }

    /// Asks the table for the tensor, which goes to `to` with the key `with` if it is as expected.
    ///
    /// @param in of the step; has counted this request
    void start(RdmaRendezvous in, long to, int with) {
        rendezvous = in;
        address = to;
        remoteKey = with;
        RecvResult there = in.table().takeOrWait(key(), this);
        if (there != null) {
            take(there);
        }
    }

    /// The table's answer to one that waits, on the thread of the send.
    @Override
    public void done(RecvResult result) {
        matched = result;
        context.loop().execute(this);
    }

    /// The same, on the loop.
    @Override
    public void run() {
        RecvResult result = matched;
        matched = null;
        if (result != null) {
            take(result);
        }
    }

    private void take(RecvResult result) {
        switch (result) {
            case RecvResult.Failed(TransportException cause) -> on(new ResponseState.Event.LocalFailure(cause));
            case RecvResult.Dead() -> ready(OutgoingContent.ofDead(wantsChecksum()));
            case RecvResult.Received(Tensor tensor) -> sources.prepare(tensor, name(), direct, this);
        }
    }

    /// The content is this response's; nothing else will come of the table.
    void ready(OutgoingContent ready) {
        content = ready;
        WarmResponse warm = name().warm();
        on(
                warm != null && ready.metaData().equals(name().expected())
                        ? warm.asExpected()
                        : new ResponseState.Event.Prepared(ready.metaData(), wantsChecksum(), isCarried()));
    }

    /// Its tensor is waited for by `source`, or by nobody any longer.
    void awaits(@Nullable DeviceSource source) {
        awaited = source;
    }

    /// Why its step has ended, if it has, and the request is not answered.
    @Nullable
    TransportException stepEnding() {
        return rendezvous == null ? null : rendezvous.ending();
    }

    boolean isOf(RdmaRendezvous step) {
        return step.equals(rendezvous);
    }

    /// Whether the content, if there is one, is small enough to be sent with its metadata.
    private boolean isCarried() {
        OutgoingContent outgoing = content;
        return outgoing != null
                && outgoing.isHostReadable()
                && channel().carries(MessageCodec.announcedContentBytes(outgoing.metaData()));
    }

    /// Whatever is wrong with the tensor (its producer may have closed it), the receiver is told.
    void failed(Throwable e) {
        TransportException cause = e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, "the tensor of " + key() + " cannot be sent: " + e, e);
        // The tensor is gone: whoever asks again must not be made to wait for the next one.
        transfers().rememberFailure(requestIndex, channel(), cause);
        on(new ResponseState.Event.LocalFailure(cause));
    }

    /// The same request comes again, over the channel that followed the one that was lost.
    void onReplay(RdmaChannel next, Message.TensorRequest message) {
        if (message.stepId() != stepId || !message.key().equals(key().toString())) {
            throw new ProtocolViolationException("request index " + requestIndex + " comes again for another tensor");
        }
        channel = next;
        address = message.address();
        remoteKey = message.remoteKey();
        inPieces = false;
        on(new ResponseState.Event.Replayed(message.metaData(), wantsChecksum(), isCarried()));
    }

    /// The same request comes again, over the fallback, whose `taker` is given what was taken for it.
    ///
    /// @throws ProtocolViolationException if its channel is not lost
    void handOver(StreamedRequest.Taker taker) {
        claimant = taker;
        on(new ResponseState.Event.Claimed());
        taker.onTaken();
    }

    boolean isFor(long step, RendezvousKey wanted) {
        return step == stepId && wanted.equals(key());
    }

    void onReRequest(Message.TensorReRequest message) {
        address = message.address();
        remoteKey = message.remoteKey();
        inPieces = message.inPieces();
        on(new ResponseState.Event.ReRequested(message.metaData()));
    }

    /// @throws ProtocolViolationException if the content is not asked for in pieces, or not in this one
    void onPiece(Message.TensorPiece message) {
        if (!(chunks instanceof PieceServer server)) {
            throw new ProtocolViolationException("a piece of a content that is not asked for in pieces");
        }
        server.onPiece(message);
    }

    /// The receiver has given the request up.
    void onGivenUp() {
        if (chunks instanceof PieceServer server) {
            server.onGivenUp();
        } else {
            on(new ResponseState.Event.ReceiverGaveUp());
        }
    }

    /// The device may read the memory whatever becomes of this response: nobody gets it any more.
    void strandMemory() {
        if (content != null && content.staged() != null) {
            // It knows nothing but proxies.
            if (chunks != null) {
                chunks.strandProxies();
            }
        } else {
            content = null;
        }
    }

    /// Its channel is gone, and has given back what was written.
    ///
    /// @param resumable whether the receiver may ask again over another one
    void onChannelLost(boolean resumable) {
        if (chunks != null) {
            // Nothing of it may have been posted.
            chunks.abandon();
        }
        on(resumable ? new ResponseState.Event.ChannelSuspended() : new ResponseState.Event.ChannelLost());
    }

    /// Whether it belongs to no channel: that which it came on is lost.
    boolean isDetached() {
        return state instanceof ResponseState.Detached || state instanceof ResponseState.DetachedFailure;
    }

    /// Whether its request came on `one`, or came again on it.
    boolean cameOn(@Nullable RdmaChannel one) {
        return channel().equals(one);
    }

    void on(ResponseState.Event event) {
        WarmResponse warm = name().warm();
        ResponseState.Step step = warm == null ? ResponseState.step(state, event) : warm.step(state, event);
        state = step.next();
        List<ResponseState.Action> actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            perform(actions.get(i));
        }
    }

    private void perform(ResponseState.Action action) {
        switch (action) {
            case ResponseState.Action.SendMetaData() -> channel().send(metaDataResponse(null));
            case ResponseState.Action.Write() -> write(false);
            case ResponseState.Action.SendWithMetaData() -> write(true);
            case ResponseState.Action.SendError(var cause) -> sendError(cause.code(), cause.reasonWithDetails());
            case ResponseState.Action.ConfirmGiveUp() ->
                sendError(StatusCode.CANCELLED, "the request was given up by its receiver");
            case ResponseState.Action.Withdraw() -> withdraw();
            case ResponseState.Action.TryWithdraw() -> {
                if (withdraw()) {
                    on(new ResponseState.Event.Withdrawn());
                }
            }
            case ResponseState.Action.HandOver() -> handOverContent();
            case ResponseState.Action.FailClaim(var cause) -> claimant().done(new RecvResult.Failed(cause));
            case ResponseState.Action.ReleaseContent() -> {
                if (content != null) {
                    content.close();
                    content = null;
                }
            }
            case ResponseState.Action.Forget() -> {
                if (awaited != null) {
                    awaited.drop();
                }
                transfers().forget(this);
                leaveStep();
                endDelivery();
            }
        }
    }

    /// It wants nothing of the step any more, and does not count as one of the requests that are not answered.
    private void leaveStep() {
        if (rendezvous != null) {
            steps.release(this, rendezvous);
            rendezvous = null;
        }
    }

    /// The step is not finished while its content is on the way.
    private void beginDelivery() {
        if (delivering == null && rendezvous != null) {
            rendezvous.beginUse();
            delivering = rendezvous;
        }
    }

    private void endDelivery() {
        if (delivering != null) {
            RdmaRendezvous of = delivering;
            delivering = null;
            of.endUse();
        }
    }

    /// @param carried the content, where it goes with its metadata
    Message metaDataResponse(@Nullable ByteBuffer carried) {
        OutgoingContent outgoing = content();
        return new Message.MetaDataResponse(stepId, requestIndex, outgoing.metaData(), outgoing.checksum(), carried);
    }

    private void handOverContent() {
        OutgoingContent taken = content();
        content = null;
        sources.handOver(taken, peer(), claimant());
    }

    private StreamedRequest.Taker claimant() {
        StreamedRequest.Taker taker = claimant;
        if (taker == null) {
            throw new IllegalStateException("nobody has claimed the content of " + key());
        }
        return taker;
    }

    private void sendError(StatusCode code, String message) {
        channel().send(new Message.ErrorStatus(stepId, requestIndex, Message.Direction.TO_RECEIVER, code, message));
    }

    private void write(boolean withMetaData) {
        beginDelivery();
        // Not when it is written: the receiver may have it, and ask for the next one, before this worker knows.
        leaveStep();
        OutgoingContent outgoing = content();
        StagedTensor staged = outgoing.staged();
        if (inPieces) {
            chunks = sources.pieceServer(outgoing, this, channel());
        } else if (staged != null) {
            StagedWrite started = sources.stagedWrite(staged.unit());
            chunks = started;
            started.begin(this, outgoing, channel(), address, remoteKey);
        } else {
            write.begin(outgoing, withMetaData, address, remoteKey);
            if (withMetaData) {
                channel().carry(write);
            } else {
                channel().write(write);
            }
        }
    }

    /// All chunks of a content are written.
    void onChunksWritten(ChunkedWrite written) {
        chunks = null;
        if (written instanceof StagedWrite idle) {
            sources.give(idle);
        }
        onWritten();
    }

    /// The receiver has given up a content in pieces; nothing of it is under way any more.
    void onPiecesStopped() {
        chunks = null;
        on(new ResponseState.Event.PiecesStopped());
    }

    /// A content in chunks has lost its channel. Copies of it may be under way, so that what made them writes no other.
    void onStagingAbandoned() {
        chunks = null;
        on(new ResponseState.Event.WriteAbandoned());
    }

    /// A staged content cannot be copied to the host; nothing of it is under way.
    void onStagingFailed(TransportException cause) {
        chunks = null;
        // If the receiver does not hear of it, and asks again, it must not be made to wait for the next one.
        transfers().rememberFailure(requestIndex, channel(), cause);
        on(new ResponseState.Event.StagingFailed(cause));
    }

    OutgoingContent content() {
        OutgoingContent outgoing = content;
        if (outgoing == null) {
            throw new IllegalStateException("the response for " + key() + " has no content");
        }
        return outgoing;
    }

    /// The peer has the content.
    void onWritten() {
        on(WarmResponse.WRITTEN);
        end();
    }

    /// Nothing refers to it any more: it was matched, its command has run, its write has completed.
    private void end() {
        if (state instanceof ResponseState.Ended) {
            forgetRequest();
            pool.give(this);
        }
    }

    /// It had not begun.
    void drop() {
        forgetRequest();
        pool.give(this);
    }

    private void forgetRequest() {
        transfers = null;
        rendezvous = null;
        name = null;
        channel = null;
        content = null;
        claimant = null;
        state = ENDED;
    }

    private boolean withdraw() {
        return rendezvous().table().remove(this);
    }

    @Override
    public long stepId() {
        return stepId;
    }

    @Override
    public String peer() {
        return channel().peer();
    }

    @Override
    public int keyLength() {
        return key().toString().length();
    }

    int requestIndex() {
        return requestIndex;
    }

    private boolean wantsChecksum() {
        return name().wantsChecksum();
    }

    private RendezvousKey key() {
        RendezvousKey key = name().key();
        if (key == null) {
            throw new IllegalStateException("request " + requestIndex + " is for no key");
        }
        return key;
    }

    private PeerName name() {
        return inUse(name);
    }

    private PeerTransfers transfers() {
        return inUse(transfers);
    }

    private RdmaRendezvous rendezvous() {
        return inUse(rendezvous);
    }

    private RdmaChannel channel() {
        return inUse(channel);
    }

    private <T> T inUse(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("a response is used that answers no request");
        }
        return part;
    }
}
