package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ContentWrite;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One answer to a peer's request for a tensor of this worker: performs what [ResponseState] decides.
///
/// Owner: the loop, but for [#done], which the table calls on the thread that made the match.
final class TensorResponse implements DoneCallback {
    private final TransferContext context;
    private final PeerTransfers transfers;
    private final TagTable table;
    private final PeerName name;
    private final RendezvousKey key;
    private final long stepId;
    private final int requestIndex;
    private final boolean wantsChecksum;
    private final Runnable onEnd;
    // Another one when the request was asked again.
    private RdmaChannel channel;
    private ResponseState state;
    // Where the receiver has memory, if it has said so.
    private long address;
    private int remoteKey;
    private @Nullable OutgoingContent content;
    // Whoever has claimed the content over the fallback.
    private StreamedRequest.@Nullable Taker claimant;

    /// @param onEnd runs once, when nothing of this is left in the table
    TensorResponse(
            TransferContext context,
            PeerTransfers transfers,
            RdmaChannel channel,
            TagTable table,
            RendezvousKey key,
            PeerName name,
            long stepId,
            int requestIndex,
            Runnable onEnd) {
        this.context = context;
        this.transfers = transfers;
        this.channel = channel;
        this.table = table;
        this.key = key;
        this.name = name;
        this.stepId = stepId;
        this.requestIndex = requestIndex;
        this.wantsChecksum = name.wantsChecksum();
        this.onEnd = onEnd;
        WarmResponse warm = name.warm();
        this.state = warm == null ? new ResponseState.AwaitingTensor(name.expected()) : warm.start();
    }

    /// Asks the table for the tensor, which goes to `to` with the key `with` if it is as expected.
    void start(long to, int with) {
        address = to;
        remoteKey = with;
        table.receive(key, this);
    }

    /// The table's answer, on the thread of the send or, if the tensor was there, on the loop.
    @Override
    public void done(RecvResult result) {
        switch (result) {
            case RecvResult.Failed(TransportException cause) ->
                context.loop().execute(() -> on(new ResponseState.Event.LocalFailure(cause)));
            case RecvResult.Dead() -> prepared(OutgoingContent.ofDead(wantsChecksum));
            case RecvResult.Received received -> {
                try {
                    if (OutgoingContent.takesLong(received, wantsChecksum, context.memory())) {
                        context.workers().execute(() -> prepare(received.tensor(), true));
                    } else {
                        prepare(received.tensor(), false);
                    }
                } catch (RuntimeException e) {
                    failed(e);
                }
            }
        }
    }

    private void prepare(Tensor tensor, boolean mayWait) {
        try {
            prepared(OutgoingContent.prepare(tensor, wantsChecksum, context.memory(), context.counters(), mayWait));
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /// Whatever is wrong with the tensor (its producer may have closed it), the receiver is told.
    private void failed(RuntimeException e) {
        TransportException cause = e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, "the tensor of " + key + " cannot be sent: " + e, e);
        context.loop().execute(() -> {
            // The tensor is gone: whoever asks again must not be made to wait for the next one.
            transfers.rememberFailure(requestIndex, cause);
            on(new ResponseState.Event.LocalFailure(cause));
        });
    }

    private void prepared(OutgoingContent ready) {
        context.loop().execute(() -> {
            content = ready;
            WarmResponse warm = name.warm();
            on(
                    warm != null && ready.metaData().equals(name.expected())
                            ? warm.asExpected()
                            : new ResponseState.Event.Prepared(ready.metaData(), wantsChecksum));
        });
    }

    /// The same request comes again, over the channel that followed the one that was lost.
    void onReplay(RdmaChannel next, Message.TensorRequest message) {
        if (message.stepId() != stepId || !message.key().equals(key.toString())) {
            throw new ProtocolViolationException("request index " + requestIndex + " comes again for another tensor");
        }
        channel = next;
        address = message.address();
        remoteKey = message.remoteKey();
        on(new ResponseState.Event.Replayed(message.metaData(), wantsChecksum));
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
        return step == stepId && wanted.equals(key);
    }

    void onReRequest(Message.TensorReRequest message) {
        address = message.address();
        remoteKey = message.remoteKey();
        on(new ResponseState.Event.ReRequested(message.metaData()));
    }

    /// The device may read the memory whatever becomes of this response: nobody gets it any more.
    void strandMemory() {
        content = null;
    }

    /// Whether it belongs to no channel: that which it came on is lost.
    boolean isDetached() {
        return state instanceof ResponseState.Detached || state instanceof ResponseState.DetachedFailure;
    }

    void on(ResponseState.Event event) {
        WarmResponse warm = name.warm();
        ResponseState.Step step = warm == null ? ResponseState.step(state, event) : warm.step(state, event);
        state = step.next();
        List<ResponseState.Action> actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            perform(actions.get(i));
        }
    }

    private void perform(ResponseState.Action action) {
        switch (action) {
            case ResponseState.Action.SendMetaData(var metaData) ->
                channel.send(new Message.MetaDataResponse(
                        stepId, requestIndex, metaData, content == null ? OptionalLong.empty() : content.checksum()));
            case ResponseState.Action.Write() -> write();
            case ResponseState.Action.SendError(var cause) ->
                sendError(cause.code(), String.valueOf(cause.getMessage()));
            case ResponseState.Action.ConfirmGiveUp() ->
                sendError(StatusCode.CANCELLED, "the request was given up by its receiver");
            case ResponseState.Action.Withdraw() -> table.remove(key, this);
            case ResponseState.Action.TryWithdraw() -> {
                if (table.remove(key, this)) {
                    on(new ResponseState.Event.Withdrawn());
                }
            }
            case ResponseState.Action.HandOver() -> handOverContent();
            case ResponseState.Action.FailClaim(var cause) -> tellClaimant(new RecvResult.Failed(cause));
            case ResponseState.Action.ReleaseContent() -> {
                if (content != null) {
                    content.close();
                    content = null;
                }
            }
            case ResponseState.Action.Forget() -> {
                transfers.forget(requestIndex, this);
                onEnd.run();
            }
        }
    }

    private void handOverContent() {
        OutgoingContent taken = content;
        content = null;
        if (taken == null) {
            throw new IllegalStateException("the response for " + key + " has no content to hand over");
        }
        // A copy or a serialised form becomes a tensor again, which may take long.
        context.workers().execute(() -> {
            RecvResult result;
            try {
                result = taken.asResult(context.memory());
            } catch (TransportException e) {
                result = new RecvResult.Failed(e);
            }
            tellClaimant(result);
        });
    }

    private void tellClaimant(RecvResult result) {
        StreamedRequest.Taker taker = claimant;
        if (taker == null) {
            throw new IllegalStateException("nobody has claimed the content of " + key);
        }
        taker.done(result);
    }

    private void sendError(StatusCode code, String message) {
        channel.send(new Message.ErrorStatus(stepId, requestIndex, Message.Direction.TO_RECEIVER, code, message));
    }

    private void write() {
        OutgoingContent outgoing = content;
        if (outgoing == null) {
            throw new IllegalStateException("the response for " + key + " has no content to write");
        }
        long length = outgoing.metaData().byteSize();
        channel.write(
                new ContentWrite(outgoing.address(), length, outgoing.localKey(), address, remoteKey, requestIndex) {
                    @Override
                    protected void onWritten() {
                        context.counters().tensorsSent.increment();
                        context.counters().bytesSent.add(length);
                        on(WarmResponse.WRITTEN);
                    }

                    @Override
                    protected void onAbandoned() {
                        on(new ResponseState.Event.WriteAbandoned());
                    }
                });
    }
}
