package io.tensorferry.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.PingRequest;
import io.tensorferry.proto.PingResponse;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.verbs.rendezvous.PeerRequest;
import io.tensorferry.verbs.rendezvous.StepTable;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/// Gives this worker's tensors to peers that ask. What they send is checked and never trusted.
///
/// Threading: gRPC's, on the handlers' pool; nothing here blocks.
final class TensorServiceImpl extends TensorServiceGrpc.TensorServiceImplBase {
    // A few streams at full speed, and no more memory for each peer than that.
    private static final long BUDGET_BYTES = 32 << 20;

    private final WorkerContext worker;
    private final Callers callers;
    private final long incarnation;
    private final StepTable<GrpcRendezvous> steps;
    private final Executor handlers;
    private final TensorTraffic traffic;
    private final Map<String, SendBudget> budgets;
    private volatile boolean refusing;

    TensorServiceImpl(
            WorkerContext worker,
            Callers callers,
            long incarnation,
            StepTable<GrpcRendezvous> steps,
            Executor handlers,
            TensorTraffic traffic) {
        this.worker = worker;
        this.callers = callers;
        this.incarnation = incarnation;
        this.steps = steps;
        this.handlers = handlers;
        this.traffic = traffic;
        this.budgets = worker.members().stream()
                .collect(Collectors.toUnmodifiableMap(peer -> peer, _ -> new SendBudget(BUDGET_BYTES)));
    }

    /// From now on every request is refused with `UNAVAILABLE`: the worker is stopping.
    void refuseAll() {
        refusing = true;
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingResponse> response) {
        Responses.answer(response, () -> {
            callers.require(request.getHostName());
            return PingResponse.newBuilder()
                    .setHostName(worker.name())
                    .setIncarnation(incarnation)
                    .build();
        });
    }

    @Override
    public void recvTensor(RecvTensorRequest request, StreamObserver<RecvTensorChunk> response) {
        var call = (ServerCallStreamObserver<RecvTensorChunk>) response;
        try {
            RendezvousKey key = checkedKey(request);
            if (refusing) {
                throw new TransportException(StatusCode.UNAVAILABLE, worker.name() + " is stopping");
            }
            PeerRequest parked = PeerRequest.of(request.getStepId(), request.getHostName(), key);
            GrpcRendezvous rendezvous = steps.openForPeer(parked);
            if (rendezvous == null) {
                throw new TransportException(
                        StatusCode.ABORTED, "step " + request.getStepId() + " is closed on " + worker.name());
            }
            SendBudget budget = Objects.requireNonNull(budgets.get(request.getHostName()), "checked to be a member");
            Runnable onEnd = () -> steps.release(parked, rendezvous);
            new TensorStream(key, rendezvous.table(), call, handlers, traffic, budget, onEnd).start();
        } catch (RuntimeException e) {
            Responses.fail(response, e);
        }
    }

    private RendezvousKey checkedKey(RecvTensorRequest request) {
        callers.require(request.getHostName());
        if (request.getIncarnation() == 0) {
            throw new TransportException(StatusCode.INVALID_ARGUMENT, "the incarnation must not be 0");
        }
        RendezvousKey key;
        try {
            key = RendezvousKey.parse(request.getRendezvousKey());
        } catch (IllegalArgumentException e) {
            throw new TransportException(StatusCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
        if (!key.source().worker().equals(worker.name())) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the producer of " + key + " is not " + worker.name());
        }
        if (!key.destination().worker().equals(request.getHostName())) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the consumer of " + key + " is not " + request.getHostName());
        }
        return key;
    }
}
