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

/// The sending end of one tensor's call: waits for the tensor, then streams it as fast as the receiver
/// takes it.
///
/// Threading: the tensor's arrival, the call's readiness and its cancellation come on any thread; [#wake()] lets
/// one of them at a time advance the state.
final class TensorStream implements StreamedRequest.Taker {
    // Some chunks lie ready in gRPC's buffers, so that the connection never runs dry between two of them.
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
    // gRPC has sent all of it, and its buffers are empty.
    private volatile boolean closed;
    // All owned by whoever runs advance().
    private @Nullable OutgoingTensor outgoing;
    private SendBudget.@Nullable Share share;
    private boolean toldTaken;
    private boolean ended;

    /// @param tellsTaken whether the receiver is told first that its request has its place
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

    /// To be called from the handler of the request.
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

    /// The request's answer, on the thread of the sender, who must not be held up by the network.
    @Override
    public void done(RecvResult answer) {
        result = answer;
        wakeLater();
    }

    private void wakeLater() {
        try {
            handlers.execute(this::wake);
        } catch (RejectedExecutionException _) {
            // The server has stopped and its calls are cancelled: this only closes the tensor.
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
        // If it does not wait any more, the tensor is here or about to come.
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
