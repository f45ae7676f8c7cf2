package io.tensorferry.grpc.tensors;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.peer.GrpcStatus;
import io.tensorferry.proto.RecvTensorChunk;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import org.jspecify.annotations.Nullable;

/// The receiving end of one tensor's call.
///
/// Threading: gRPC serialises the listener's methods, on the handler pool; they own the state.
final class RecvTensorCall extends ClientCall.Listener<RecvTensorChunk> {
    private final RemoteReceive receive;
    private final ClientCall<RecvTensorRequest, RecvTensorChunk> call;
    private final TensorAssembler tensor;
    private final TensorTraffic traffic;
    private final FallbackPath.Progress progress;
    // Why this end cancelled the call; the call's status is then meaningless.
    private @Nullable TransportException broken;

    RecvTensorCall(
            RemoteReceive receive,
            ClientCall<RecvTensorRequest, RecvTensorChunk> call,
            TensorAssembler tensor,
            TensorTraffic traffic,
            FallbackPath.Progress progress) {
        this.receive = receive;
        this.call = call;
        this.tensor = tensor;
        this.traffic = traffic;
        this.progress = progress;
    }

    void start(RecvTensorRequest request) {
        call.start(this, new Metadata());
        call.sendMessage(request);
        call.halfClose();
        call.request(1);
        receive.onGivenUp(() -> call.cancel("the receive was given up", null));
    }

    @Override
    public void onMessage(RecvTensorChunk chunk) {
        if (broken != null) {
            return;
        }
        progress.onTaken();
        if (receive.hasEnded()) {
            return;
        }
        try {
            switch (chunk.getPartCase()) {
                case HEADER -> tensor.header(chunk.getHeader());
                case CONTENT -> tensor.content(chunk.getContent());
                case TAKEN -> tensor.taken();
                case PART_NOT_SET ->
                    throw new TransportException(StatusCode.DATA_LOSS, "a message without a part arrived");
            }
        } catch (TransportException e) {
            broken = e;
            call.cancel(e.reason(), null);
            return;
        }
        // Flow control: the next message is requested only after this one is in the tensor.
        call.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        traffic.receiveEnded();
        RecvResult result = resultOf(status, trailers);
        if (result instanceof RecvResult.Failed) {
            tensor.discard();
        } else {
            traffic.received(tensor.byteSize());
        }
        receive.complete(result);
        progress.onEnded();
    }

    private RecvResult resultOf(Status status, Metadata trailers) {
        TransportException cause;
        if (broken != null) {
            cause = failed(broken);
        } else if (!status.isOk()) {
            cause = GrpcStatus.fromGrpc("receiving " + receive.key(), receive.peer(), status, trailers);
        } else {
            try {
                return tensor.finish();
            } catch (TransportException e) {
                cause = failed(e);
            }
        }
        return new RecvResult.Failed(cause);
    }

    private TransportException failed(TransportException why) {
        return why.within("receiving " + receive.key(), receive.peer());
    }
}
