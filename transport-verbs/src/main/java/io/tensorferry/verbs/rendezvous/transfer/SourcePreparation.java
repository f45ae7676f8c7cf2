package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.MoveEnd;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.rendezvous.ResultMove;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.staged.DeviceSource;
import io.tensorferry.verbs.rendezvous.staged.PieceServer;
import io.tensorferry.verbs.rendezvous.staged.StagedWrite;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes a tensor that the table gave for a request ready to be written; and again a tensor of what is ready, where it
/// goes another way after all. One for all responses of a worker.
///
/// Owner: the loop, which calls it and is called back; what takes long is done by a worker.
final class SourcePreparation {
    // More than have proxies at the same time, as a rule.
    private static final int MOST_IDLE_WRITES = 64;

    private final TransferContext context;
    private final ResultMove moves;
    // Those whose event is waited for.
    private final Map<DeviceSource, TensorResponse> awaiting = new LinkedHashMap<>();
    private final ArrayDeque<StagedWrite> idleWrites = new ArrayDeque<>();

    SourcePreparation(TransferContext context) {
        this.context = context;
        this.moves = new ResultMove(context.accelerators(), context.memory().allocator());
    }

    /// Ends in `response.ready` or `response.failed`, at once where there is nothing to be done.
    ///
    /// @param tensor is taken over
    /// @param name what the peer asked for
    /// @param direct holds the tensor where nothing is to be done
    void prepare(Tensor tensor, ExpectedTensor name, OutgoingContent direct, TensorResponse response) {
        boolean withChecksum = name.wantsChecksum();
        if (!tensor.device().hostAccessible() || tensor.readyEvent() != null) {
            prepareFromDevice(tensor, withChecksum, response);
            return;
        }
        boolean held;
        try {
            held = !withChecksum && direct.hold(tensor, name.expected(), context.memory());
        } catch (RuntimeException | Error e) {
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
        } catch (RuntimeException | Error e) {
            context.loop().execute(() -> response.failed(e));
        }
    }

    private void prepareFromDevice(Tensor tensor, boolean withChecksum, TensorResponse response) {
        AcceleratorUnit unit = unitOf(tensor);
        if (unit == null) {
            // Its close may wait for a driver.
            context.workers().execute(tensor::close);
            response.failed(DeviceSource.unknownDevice(tensor, context));
            return;
        }
        var source = new DeviceSource(context, tensor, withChecksum, unit, response, this::onEventEnded);
        DeviceEvent event = tensor.readyEvent();
        // An event ends with its tensor: that of a tensor that its producer has closed must not be looked at.
        if (event == null || tensor.isClosed() || tensor.byteSize() == 0) {
            source.start();
            return;
        }
        awaiting.put(source, response);
        response.awaits(source);
        source.startAfter(event);
        TransportException ending = response.stepEnding();
        if (ending != null) {
            source.abort(ending);
        }
    }

    /// Of the tensor's device; of any for a tensor of the host, whose event is one of an accelerator.
    private @Nullable AcceleratorUnit unitOf(Tensor tensor) {
        if (!tensor.device().hostAccessible()) {
            return context.accelerators().of(tensor.device());
        }
        return context.accelerators().isEmpty() ? null : context.accelerators().first();
    }

    private void onEventEnded(DeviceSource source) {
        TensorResponse response = awaiting.remove(source);
        if (response != null) {
            response.awaits(null);
        }
    }

    /// A step has ended: none of its tensors is waited for any longer.
    void endStep(RdmaRendezvous step, TransportException cause) {
        awaiting.forEach((source, response) -> {
            if (response.isOf(step)) {
                source.abort(cause);
            }
        });
    }

    /// What writes a content that is on an accelerator; [#give] takes it back when it has.
    StagedWrite stagedWrite(AcceleratorUnit unit) {
        StagedWrite idle = idleWrites.poll();
        return idle == null ? new StagedWrite(context.counters(), unit.options()) : idle;
    }

    /// What writes a content as the peer names memory for it, piece by piece.
    PieceServer pieceServer(OutgoingContent content, TensorResponse response, RdmaChannel over) {
        return new PieceServer(
                context.counters(), response, content, over, over.description().piecesAtOnce());
    }

    /// @param written to its end: nothing refers to it
    void give(StagedWrite written) {
        if (idleWrites.size() < MOST_IDLE_WRITES) {
            idleWrites.push(written);
        }
    }

    /// Gives what `content` holds to `taker`, in host memory: what is on an accelerator is brought there, and a worker
    /// makes a copy or a serialised form a tensor again.
    ///
    /// @param peer that the content is for
    void handOver(OutgoingContent content, String peer, StreamedRequest.Taker taker) {
        // A handle of its own: chunks may be copied still, for a channel that is lost.
        Tensor tensor = content.shareOnDevice();
        if (tensor != null) {
            content.close();
            moves.start(tensor, ReceiveOptions.defaults(), null, peer, new Hosted(taker));
            return;
        }
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

    /// The tensor is in host memory.
    private record Hosted(StreamedRequest.Taker taker) implements MoveEnd {
        @Override
        public void onMoved(Tensor moved) {
            taker.done(new RecvResult.Received(moved));
        }

        @Override
        public void onFailed(TransportException cause) {
            taker.done(new RecvResult.Failed(cause));
        }
    }
}
