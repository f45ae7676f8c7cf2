package io.tensorferry.grpc.tensors;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.peer.Responses;
import io.tensorferry.proto.PingRequest;
import io.tensorferry.proto.PingResponse;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Serves this worker's tensors to peers. Validates every request.
///
/// Threading: gRPC's handler pool; never blocks.
public final class TensorServiceImpl extends TensorServiceGrpc.TensorServiceImplBase {
    // Suffices for a few streams at full speed, and bounds the memory per peer.
    private static final long BUDGET_BYTES = 32 << 20;

    private final WorkerContext worker;
    private final Callers callers;
    private final long incarnation;
    private final TensorSource source;
    private final Executor handlers;
    private final TensorTraffic traffic;
    private final Map<String, SendBudget> budgets;
    private volatile boolean refusing;

    public TensorServiceImpl(
            WorkerContext worker,
            Callers callers,
            long incarnation,
            TensorSource source,
            Executor handlers,
            TensorTraffic traffic) {
        this.worker = worker;
        this.callers = callers;
        this.incarnation = incarnation;
        this.source = source;
        this.handlers = handlers;
        this.traffic = traffic;
        this.budgets = worker.members().stream()
                .collect(Collectors.toUnmodifiableMap(peer -> peer, _ -> new SendBudget(BUDGET_BYTES)));
    }

    /// Refuses every request from now on with `UNAVAILABLE`, because the worker is stopping.
    public void refuseAll() {
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
            StreamedRequest opened = source.open(
                    request.getHostName(), request.getIncarnation(), request.getStepId(), key, sent(request));
            SendBudget budget = Objects.requireNonNull(budgets.get(request.getHostName()), "checked to be a member");
            new TensorStream(opened, request.getWantsTaken(), call, handlers, traffic, budget).start();
        } catch (RuntimeException e) {
            Responses.fail(response, e);
        }
    }

    private @Nullable SentRequest sent(RecvTensorRequest request) {
        if (!request.hasSent()) {
            return null;
        }
        var sent = request.getSent();
        if (sent.getConnectionId() == 0 || sent.getIncarnation() == 0) {
            throw new TransportException(
                    StatusCode.INVALID_ARGUMENT,
                    "a repeated request must name its channel and this worker's incarnation");
        }
        if (sent.getIncarnation() != incarnation) {
            throw new TransportException(StatusCode.ABORTED, worker.name() + " was restarted");
        }
        return new SentRequest(sent.getRequestIndex(), sent.getConnectionId(), sent.getIncarnation());
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
