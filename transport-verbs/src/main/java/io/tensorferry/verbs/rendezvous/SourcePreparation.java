package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;

/// Makes a tensor that the table gave for a request ready to be written; and again a tensor of what is ready, where it
/// goes another way after all. One for all responses of a worker.
///
/// Threading: the loop calls it and is called back; what takes long is done by a worker. It holds no state.
final class SourcePreparation {
    private final TransferContext context;

    SourcePreparation(TransferContext context) {
        this.context = context;
    }

    /// Ends in `response.ready` or `response.failed`, at once where there is nothing to be done.
    ///
    /// @param tensor is taken over
    /// @param name what the peer asked for
    /// @param direct holds the tensor where nothing is to be done
    void prepare(Tensor tensor, PeerName name, OutgoingContent direct, TensorResponse response) {
        boolean withChecksum = name.wantsChecksum();
        boolean held;
        try {
            held = !withChecksum && direct.hold(tensor, name.expected(), context.memory());
        } catch (RuntimeException e) {
            tensor.close();
            response.failed(e);
            return;
        }
        if (held) {
            response.ready(direct);
        } else {
            context.workers().execute(() -> prepareSlowly(tensor, withChecksum, response));
        }
    }

    private void prepareSlowly(Tensor tensor, boolean withChecksum, TensorResponse response) {
        try {
            OutgoingContent prepared =
                    OutgoingContent.prepare(tensor, withChecksum, context.memory(), context.counters());
            context.loop().execute(() -> response.ready(prepared));
        } catch (RuntimeException e) {
            context.loop().execute(() -> response.failed(e));
        }
    }

    /// Gives what `content` holds to `taker`, on a worker: a copy or a serialised form becomes a tensor again.
    void handOver(OutgoingContent content, StreamedRequest.Taker taker) {
        context.workers().execute(() -> {
            RecvResult result;
            try {
                result = content.asResult(context.memory());
            } catch (TransportException e) {
                result = new RecvResult.Failed(e);
            }
            taker.done(result);
        });
    }
}
