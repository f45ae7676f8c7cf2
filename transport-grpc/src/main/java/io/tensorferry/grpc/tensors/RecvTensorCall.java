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
/// Threading: gRPC runs the listener's methods one after the other, on the handlers' pool; they own the state.
final class RecvTensorCall extends ClientCall.Listener<RecvTensorChunk> {
    private final RemoteReceive receive;
    private final ClientCall<RecvTensorRequest, RecvTensorChunk> call;
    private final TensorAssembler tensor;
    private final TensorTraffic traffic;
    private final FallbackPath.Progress progress;
    // Why this side has cancelled the call; its status then says nothing.
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
                    throw new TransportException(StatusCode.DATA_LOSS, "a message without a part came");
            }
        } catch (TransportException e) {
            broken = e;
            call.cancel(e.reason(), null);
            return;
        }
        // One message at a time: the sender is held back by what is not yet in the tensor.
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
