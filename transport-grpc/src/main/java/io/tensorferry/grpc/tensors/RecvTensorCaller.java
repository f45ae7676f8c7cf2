package io.tensorferry.grpc.tensors;

import io.grpc.CallOptions;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.peer.GrpcStatus;
import io.tensorferry.grpc.peer.PeerChannel;
import io.tensorferry.grpc.peer.PeerChannels;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Starts the call of each receive once its peer is connected.
///
/// Threading: any thread; never blocks.
public final class RecvTensorCaller implements FallbackPath {
    private static final Progress UNWATCHED = new Progress() {
        @Override
        public void onTaken() {}

        @Override
        public void onEnded() {}
    };

    private final WorkerContext worker;
    private final long incarnation;
    private final PeerChannels peers;
    private final Function<ReceiveOptions, TensorAllocator> allocators;
    private final TensorTraffic traffic;

    /// @param allocators returns the allocator of a receive's result. It is called on the handler pool and must not
    ///     block
    public RecvTensorCaller(
            WorkerContext worker,
            long incarnation,
            PeerChannels peers,
            Function<ReceiveOptions, TensorAllocator> allocators,
            TensorTraffic traffic) {
        this.worker = worker;
        this.incarnation = incarnation;
        this.peers = peers;
        this.allocators = allocators;
        this.traffic = traffic;
    }

    /// Starts a receive; every failure goes to `receive`.
    void start(RemoteReceive receive) {
        start(receive, false, null, UNWATCHED);
    }

    /// Starts a receive that falls back from a channel.
    @Override
    public void start(RemoteReceive receive, @Nullable SentRequest sent, Progress progress) {
        start(receive, true, sent, progress);
    }

    private void start(RemoteReceive receive, boolean wantsTaken, @Nullable SentRequest sent, Progress progress) {
        traffic.receiveStarted();
        // A receive from the channel has already waited for the peer, so it does not wait for the full connect timeout
        // again.
        var ready = wantsTaken ? peers.whenReadySoon(receive.peer()) : peers.whenReady(receive.peer());
        // The loop starts a receive that falls back, a thread of the user's any other.
        Executor caller = wantsTaken ? peers::offLoop : Runnable::run;
        var _ = ready.whenCompleteAsync(
                (peer, failure) -> {
                    if (failure != null) {
                        fail(receive, GrpcStatus.fromGrpc("connecting", receive.peer(), failure), progress);
                    } else if (receive.hasEnded()) {
                        traffic.receiveEnded();
                        progress.onEnded();
                    } else {
                        call(receive, peer, wantsTaken, sent, progress);
                    }
                },
                caller);
    }

    private void call(
            RemoteReceive receive,
            PeerChannel peer,
            boolean wantsTaken,
            @Nullable SentRequest sent,
            Progress progress) {
        var request = RecvTensorRequest.newBuilder()
                .setStepId(receive.stepId())
                .setRendezvousKey(receive.key().toString())
                .setHostName(worker.name())
                .setIncarnation(incarnation)
                .setWantsTaken(wantsTaken);
        if (sent != null) {
            request.setSent(io.tensorferry.proto.SentRequest.newBuilder()
                    .setRequestIndex(sent.requestIndex())
                    .setConnectionId(sent.connectionId())
                    .setIncarnation(sent.incarnation()));
        }
        try {
            var call = peer.grpc().newCall(TensorServiceGrpc.getRecvTensorMethod(), CallOptions.DEFAULT);
            var assembler = new TensorAssembler(
                    allocators.apply(receive.hostOptions()), worker.limits().maxTensorBytes());
            new RecvTensorCall(receive, call, assembler, traffic, progress).start(request.build());
        } catch (TransportException e) {
            fail(receive, e.within("receiving " + receive.key(), receive.peer()), progress);
        } catch (RuntimeException e) {
            fail(
                    receive,
                    new TransportException(
                            StatusCode.INTERNAL,
                            "the call could not be started: " + e.getMessage(),
                            receive.peer(),
                            0,
                            e),
                    progress);
        }
    }

    private void fail(RemoteReceive receive, TransportException cause, Progress progress) {
        traffic.receiveEnded();
        receive.complete(new RecvResult.Failed(cause));
        progress.onEnded();
    }
}
