package io.tensorferry.grpc.tensors;

import io.grpc.stub.ServerCallStreamObserver;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.peer.GrpcStatus;
import io.tensorferry.grpc.peer.Responses;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.Taken;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The sending end of one tensor's call: waits for the tensor, then streams it at the receiver's rate.
///
/// Threading: the tensor's arrival, the call's readiness and its cancellation occur on any thread; [#wake()] serialises
/// the advances of the state.
final class TensorStream implements StreamedRequest.Taker {
    // Keeps some chunks in gRPC's buffers, so that the connection never runs idle between two chunks.
    private static final int READY_BYTES = 1 << 20;
    static final long BUFFERED_BYTES = READY_BYTES + OutgoingTensor.CHUNK_BYTES;

    private final StreamedRequest request;
    private final boolean tellsTaken;
    private final ServerCallStreamObserver<RecvTensorChunk> call;
    private final Executor handlers;
    private final TensorTraffic traffic;
    private final SendBudget budget;
    private final AtomicInteger wakeUps = new AtomicInteger();
    // Written once, by done().
    private volatile @Nullable RecvResult result;
    private volatile boolean taken;
    // gRPC has sent everything, and its buffers are empty.
    private volatile boolean closed;
    // Owned by the thread that runs advance().
    private @Nullable OutgoingTensor outgoing;
    private SendBudget.@Nullable Share share;
    private boolean toldTaken;
    private boolean ended;

    /// @param tellsTaken whether a first message notifies the receiver that its request is queued or matched
    TensorStream(
            StreamedRequest request,
            boolean tellsTaken,
            ServerCallStreamObserver<RecvTensorChunk> call,
            Executor handlers,
            TensorTraffic traffic,
            SendBudget budget) {
        this.request = request;
        this.tellsTaken = tellsTaken;
        this.call = call;
        this.handlers = handlers;
        this.traffic = traffic;
        this.budget = budget;
    }

    /// Starts the stream. Called from the handler of the request.
    void start() {
        call.setOnReadyThreshold(READY_BYTES);
        call.setOnReadyHandler(this::wake);
        call.setOnCancelHandler(this::wake);
        call.setOnCloseHandler(() -> {
            closed = true;
            wake();
        });
        request.take(this);
    }

    @Override
    public void onTaken() {
        taken = true;
        if (tellsTaken) {
            wakeLater();
        }
    }

    /// The result of the request, on the sender's thread, which the network must not delay.
    @Override
    public void done(RecvResult answer) {
        result = answer;
        wakeLater();
    }

    private void wakeLater() {
        try {
            handlers.execute(this::wake);
        } catch (RejectedExecutionException _) {
            // The server has stopped and its calls are cancelled; wake() only closes the tensor.
            wake();
        }
    }

    private void wake() {
        if (wakeUps.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            advance();
            seen = wakeUps.addAndGet(-seen);
        } while (seen != 0);
    }

    private void advance() {
        boolean over = closed || call.isCancelled();
        if (over && share != null) {
            share.giveBack();
        }
        if (ended) {
            return;
        }
        if (over) {
            giveUp();
            return;
        }
        RecvResult answer = result;
        try {
            if (tellsTaken && !toldTaken && (taken || answer != null) && !(answer instanceof RecvResult.Failed)) {
                toldTaken = true;
                call.onNext(RecvTensorChunk.newBuilder()
                        .setTaken(Taken.getDefaultInstance())
                        .build());
            }
            if (answer == null) {
                return;
            }
            stream(answer);
        } catch (RuntimeException e) {
            release();
            Responses.fail(call, e);
        }
    }

    private void giveUp() {
        // If giveUp() returns false, the tensor has arrived or is about to arrive.
        if (result != null || request.giveUp()) {
            release();
        }
    }

    private void stream(RecvResult answer) {
        if (answer instanceof RecvResult.Failed(var cause)) {
            call.onError(GrpcStatus.toGrpc(cause));
            release();
            return;
        }
        OutgoingTensor sending = outgoing;
        if (sending == null) {
            sending = OutgoingTensor.of(answer);
            outgoing = sending;
            call.onNext(sending.header());
            share = budget.ask(Math.min(sending.byteSize(), BUFFERED_BYTES), this::wakeLater);
        }
        if (sending.hasMore() && share != null && !share.isGranted()) {
            return;
        }
        while (sending.hasMore()) {
            if (!call.isReady() || call.isCancelled()) {
                return;
            }
            call.onNext(sending.nextChunk());
        }
        call.onCompleted();
        traffic.sent(sending.byteSize());
        release();
    }

    private void release() {
        ended = true;
        if (outgoing != null) {
            outgoing.close();
        } else if (result instanceof RecvResult.Received(Tensor tensor)) {
            tensor.close();
        }
        request.end();
    }
}
