package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.StagedTensor;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.staged.ChunkedWrite;
import io.tensorferry.verbs.rendezvous.staged.DeviceSource;
import io.tensorferry.verbs.rendezvous.staged.PieceServer;
import io.tensorferry.verbs.rendezvous.staged.StagedWrite;
import io.tensorferry.verbs.rendezvous.table.LongTable;
import io.tensorferry.verbs.rendezvous.table.PeerRequest;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import io.tensorferry.verbs.rendezvous.table.TagTable;
import io.tensorferry.verbs.rendezvous.transfer.ResponseState.Action;
import io.tensorferry.verbs.rendezvous.transfer.ResponseState.Event;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One response to a peer's request for a tensor of this worker: performs the actions of [ResponseState].
///
/// A transfer that proceeds as the peer expects allocates nothing on the loop: the response itself waits in the table,
/// is the command that brings the tensor to the loop, and is reused for another request ([ResponsePool]).
///
/// Owner: the loop. Exception: the table calls [#done] on the thread that made the match.
final class TensorResponse extends TagTable.Waiter
        implements Runnable, PeerRequest, ChunkedWrite.Owner, DeviceSource.Owner, LongTable.Entry<TensorResponse> {
    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final SourcePreparation sources;
    private final ResponsePool pool;
    private final OutgoingContent direct = new OutgoingContent();
    private final ResponseWrite write;
    private @Nullable TensorResponse next;
    private @Nullable PeerTransfers transfers;
    // The rendezvous of the step, until the answer is in progress.
    private @Nullable RdmaRendezvous rendezvous;
    // The rendezvous of the step from then on, until the content has left.
    private @Nullable RdmaRendezvous delivering;
    private @Nullable ExpectedTensor name;
    // The metadata that the receiver has memory for, or null.
    private @Nullable TensorMetaData expected;
    // Changes when the request is repeated on another channel.
    private @Nullable RdmaChannel channel;
    private long stepId;
    private int requestIndex;
    private ResponseState state = ResponseState.ENDED;
    // The receiver's memory, if it has named any.
    private long address;
    private int remoteKey;
    // Published by the loop's command queue.
    private @Nullable RecvResult matched;
    private @Nullable OutgoingContent content;
    // The source that waits for the event of the tensor that the table gave.
    private @Nullable DeviceSource awaited;
    // Set while a content is written that is on an accelerator, or requested in pieces.
    private @Nullable ChunkedWrite chunks;
    private boolean inPieces;
    // The taker that has claimed the content over the fallback.
    private StreamedRequest.@Nullable Taker claimant;
    // The reason that there is no content.
    private @Nullable TransportException failure;

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
    /// @param by the transfers of the requesting peer
    /// @param wanted a name with a key
    void begin(PeerTransfers by, RdmaChannel over, ExpectedTensor wanted, long step, int index) {
        transfers = by;
        channel = over;
        name = wanted;
        stepId = step;
        requestIndex = index;
        inPieces = false;
        expected = wanted.expected();
        state = ResponseState.AWAITING_TENSOR;
    }

    /// Takes the tensor from the table or waits for it there. A tensor as expected is written to `to` with the rkey
    /// `with`.
    ///
    /// @param in the rendezvous of the step; it has counted this request
    void start(RdmaRendezvous in, long to, int with) {
        rendezvous = in;
        address = to;
        remoteKey = with;
        RecvResult there = in.table().takeOrWait(key(), this);
        if (there != null) {
            take(there);
        }
    }

    /// Accepts the table's result for a waiting response, on the thread of the send.
    @Override
    public void done(RecvResult result) {
        matched = result;
        context.loop().execute(this);
    }

    /// Accepts the table's result on the loop.
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
            case RecvResult.Failed(TransportException cause) -> on(Event.LOCAL_FAILURE, cause);
            case RecvResult.Dead() -> ready(OutgoingContent.ofDead(wantsChecksum()));
            case RecvResult.Received(Tensor tensor) -> sources.prepare(tensor, name(), direct, this);
        }
    }

    @Override
    public void ready(OutgoingContent ready) {
        content = ready;
        on(prepared(ready));
    }

    private Event prepared(OutgoingContent ready) {
        if (!wantsChecksum() && ready.metaData().equals(expected)) {
            return Event.PREPARED_AS_EXPECTED;
        }
        // Small enough to be sent with its metadata.
        boolean carried =
                ready.isHostReadable() && channel().carries(MessageCodec.announcedContentBytes(ready.metaData()));
        return carried ? Event.PREPARED_SMALL : Event.PREPARED;
    }

    /// Sets the source that waits for the tensor's event; null once the wait has ended.
    void awaits(@Nullable DeviceSource source) {
        awaited = source;
    }

    /// The cause that ended its step; null if the step is open or the request has been answered.
    @Nullable
    TransportException stepEnding() {
        return rendezvous == null ? null : rendezvous.ending();
    }

    boolean isOf(RdmaRendezvous step) {
        return step.equals(rendezvous);
    }

    /// Reports any problem with the tensor to the receiver; for example, its producer may have closed it.
    @Override
    public void failed(Throwable e) {
        TransportException cause = e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, "the tensor of " + key() + " cannot be sent: " + e, e);
        // The tensor is gone: a repeated request must not wait for the next tensor.
        transfers().rememberFailure(requestIndex, channel(), cause);
        on(Event.LOCAL_FAILURE, cause);
    }

    /// The same request is repeated over the channel that followed the lost one.
    void onReplay(RdmaChannel next, Message.TensorRequest message) {
        if (message.stepId() != stepId || !message.key().equals(key().toString())) {
            throw new ProtocolViolationException("request index " + requestIndex + " is repeated for another tensor");
        }
        channel = next;
        address = message.address();
        remoteKey = message.remoteKey();
        inPieces = false;
        expected = message.metaData();
        on(Event.REPLAYED);
    }

    /// The same request is repeated over the fallback; `taker` gets the tensor that was taken for it.
    ///
    /// @throws ProtocolViolationException if its channel is not lost
    void handOver(StreamedRequest.Taker taker) {
        claimant = taker;
        on(Event.CLAIMED);
        taker.onTaken();
    }

    boolean isFor(long step, RendezvousKey wanted) {
        return step == stepId && wanted.equals(key());
    }

    void onReRequest(Message.TensorReRequest message) {
        address = message.address();
        remoteKey = message.remoteKey();
        inPieces = message.inPieces();
        OutgoingContent announced = content;
        on(
                announced != null && announced.metaData().equals(message.metaData())
                        ? Event.RE_REQUESTED
                        : Event.RE_REQUESTED_OTHERWISE);
    }

    /// @throws ProtocolViolationException if the content was not requested in pieces, or this piece is not allowed
    void onPiece(Message.TensorPiece message) {
        if (!(chunks instanceof PieceServer server)) {
            throw new ProtocolViolationException("a piece of a content that is not requested in pieces");
        }
        server.onPiece(message);
    }

    /// The receiver has given the request up.
    void onGivenUp() {
        if (chunks instanceof PieceServer server) {
            server.onGivenUp();
        } else {
            on(Event.RECEIVER_GAVE_UP);
        }
    }

    /// Abandons the memory, which the device may still read after this response has ended.
    void strandMemory() {
        if (content != null && content.staged() != null) {
            // The device only accesses the proxies.
            if (chunks != null) {
                chunks.strandProxies();
            }
        } else {
            content = null;
        }
    }

    /// The channel is lost, and has returned the posted writes.
    ///
    /// @param resumable whether the receiver may ask again over another channel
    void onChannelLost(boolean resumable) {
        if (chunks != null) {
            // No chunk may have been posted yet, so no write reports the loss.
            chunks.abandon();
        }
        on(resumable ? Event.CHANNEL_SUSPENDED : Event.CHANNEL_LOST);
    }

    /// Whether the response belongs to no channel, because its channel is lost.
    boolean isDetached() {
        return switch (state) {
            case DETACHED, PREPARING_DETACHED, DETACHED_FAILURE -> true;
            case AWAITING_TENSOR, AWAITING_RE_REQUEST, WRITING, HANDING_OVER, ENDED -> false;
        };
    }

    /// Whether its request came on `one`, or was repeated on it.
    boolean cameOn(@Nullable RdmaChannel one) {
        return channel().equals(one);
    }

    /// The receiver does not ask again.
    void onNotReplayed() {
        on(Event.NOT_REPLAYED);
    }

    private void on(Event event, TransportException cause) {
        failure = cause;
        on(event);
    }

    private void on(Event event) {
        ResponseState.Step step = state.step(event);
        state = step.next();
        List<Action> actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            perform(actions.get(i));
        }
    }

    private void perform(Action action) {
        switch (action) {
            case ANSWER -> on(prepared(content()));
            case SEND_METADATA -> channel().send(metaDataResponse(null));
            case WRITE -> write(false);
            case SEND_WITH_METADATA -> write(true);
            case SEND_ERROR -> sendError(failure().code(), failure().reasonWithDetails());
            case CONFIRM_GIVE_UP -> sendError(StatusCode.CANCELLED, "the request was given up by its receiver");
            case WITHDRAW -> withdraw();
            case TRY_WITHDRAW -> {
                if (withdraw()) {
                    on(Event.WITHDRAWN);
                }
            }
            case HAND_OVER -> handOverContent();
            case FAIL_CLAIM -> claimant().done(new RecvResult.Failed(failure()));
            case RELEASE_CONTENT -> {
                if (content != null) {
                    content.close();
                    content = null;
                }
            }
            case FORGET -> {
                if (awaited != null) {
                    awaited.drop();
                }
                transfers().forget(this);
                leaveStep();
                endDelivery();
            }
        }
    }

    private TransportException failure() {
        return inUse(failure);
    }

    /// Leaves the step: the response takes no tensor any more, and no longer counts as an unanswered request.
    private void leaveStep() {
        if (rendezvous != null) {
            steps.release(this, rendezvous);
            rendezvous = null;
        }
    }

    /// Keeps the step open while its content is being written.
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

    /// @param carried the content if it is sent with its metadata
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
            throw new IllegalStateException("the content of " + key() + " is not claimed");
        }
        return taker;
    }

    private void sendError(StatusCode code, String message) {
        channel().send(new Message.ErrorStatus(stepId, requestIndex, Message.Direction.TO_RECEIVER, code, message));
    }

    private void write(boolean withMetaData) {
        beginDelivery();
        // Not after the write: the receiver may have the content and send the next request before this worker is
        // notified.
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

    @Override
    public void onChunksWritten(ChunkedWrite written) {
        chunks = null;
        if (written instanceof StagedWrite idle) {
            sources.give(idle);
        }
        onWritten();
    }

    @Override
    public void onPiecesStopped() {
        chunks = null;
        on(Event.PIECES_STOPPED);
    }

    @Override
    public void onStagingAbandoned() {
        chunks = null;
        on(Event.WRITE_ABANDONED);
    }

    @Override
    public void onStagingFailed(TransportException cause) {
        chunks = null;
        // If the receiver misses the error and asks again, it must not wait for the next tensor.
        transfers().rememberFailure(requestIndex, channel(), cause);
        on(Event.STAGING_FAILED, cause);
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
        on(Event.WRITTEN);
        end();
    }

    /// The channel failed before the content was written.
    void onWriteAbandoned() {
        on(Event.WRITE_ABANDONED);
    }

    /// Returns the response to the pool. Nothing refers to it any more: it was matched, its command has run, its write
    /// has completed.
    private void end() {
        if (state == ResponseState.ENDED) {
            forgetRequest();
            pool.give(this);
        }
    }

    /// Returns a response to the pool that was never started.
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
        expected = null;
        failure = null;
        state = ResponseState.ENDED;
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

    @Override
    public int requestIndex() {
        return requestIndex;
    }

    /// Its request index.
    @Override
    public long id() {
        return requestIndex;
    }

    @Override
    public @Nullable TensorResponse next() {
        return next;
    }

    @Override
    public void next(@Nullable TensorResponse entry) {
        next = entry;
    }

    private boolean wantsChecksum() {
        return name().wantsChecksum();
    }

    private RendezvousKey key() {
        RendezvousKey key = name().key();
        if (key == null) {
            throw new IllegalStateException("request " + requestIndex + " has no key");
        }
        return key;
    }

    private ExpectedTensor name() {
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
            throw new IllegalStateException("the response does not answer a request");
        }
        return part;
    }
}
