package io.tensorferry.grpc;

import io.grpc.CallOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.WorkerContext;

/// Starts the call of each receive, once the peer can be reached.
///
/// Threading: any thread; nothing here blocks.
final class RecvTensorCaller {
    private final WorkerContext worker;
    private final long incarnation;
    private final PeerChannels peers;
    private final TensorAllocator allocator;
    private final TensorTraffic traffic;

    RecvTensorCaller(
            WorkerContext worker,
            long incarnation,
            PeerChannels peers,
            TensorAllocator allocator,
            TensorTraffic traffic) {
        this.worker = worker;
        this.incarnation = incarnation;
        this.peers = peers;
        this.allocator = allocator;
        this.traffic = traffic;
    }

    /// Every failure goes to `receive`.
    void start(RemoteReceive receive) {
        traffic.receiveStarted();
        PeerChannel peer;
        try {
            peer = peers.to(receive.peer());
        } catch (TransportException e) {
            fail(receive, e);
            return;
        }
        var _ = peer.whenReady().whenComplete((_, failure) -> {
            if (failure != null) {
                fail(receive, GrpcStatus.fromGrpc("connecting", receive.peer(), failure));
            } else if (receive.hasEnded()) {
                traffic.receiveEnded();
            } else {
                call(receive, peer);
            }
        });
    }

    private void call(RemoteReceive receive, PeerChannel peer) {
        var request = RecvTensorRequest.newBuilder()
                .setStepId(receive.stepId())
                .setRendezvousKey(receive.key().toString())
                .setHostName(worker.name())
                .setIncarnation(incarnation)
                .build();
        try {
            var call = peer.grpc().newCall(TensorServiceGrpc.getRecvTensorMethod(), CallOptions.DEFAULT);
            new RecvTensorCall(
                            receive,
                            call,
                            new TensorAssembler(allocator, worker.limits().maxTensorBytes()),
                            traffic)
                    .start(request);
        } catch (RuntimeException e) {
            fail(
                    receive,
                    new TransportException(
                            StatusCode.INTERNAL,
                            "the call could not be started: " + e.getMessage(),
                            receive.peer(),
                            0,
                            e));
        }
    }

    private void fail(RemoteReceive receive, TransportException cause) {
        traffic.receiveEnded();
        receive.complete(new RecvResult.Failed(cause));
    }
}
