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

/// Prepares tensors from the table for writing, and converts prepared content back to tensors for another path. One
/// instance serves all responses of a worker.
///
/// Owner: the loop, which calls it and receives its callbacks; slow work runs on a worker.
final class SourcePreparation {
    // Usually more than the number of writes that have proxies at the same time.
    private static final int MOST_IDLE_WRITES = 64;

    private final TransferContext context;
    private final ResultMove moves;
    // The sources that wait for an event.
    private final Map<DeviceSource, TensorResponse> awaiting = new LinkedHashMap<>();
    private final ArrayDeque<StagedWrite> idleWrites = new ArrayDeque<>();

    SourcePreparation(TransferContext context) {
        this.context = context;
        this.moves = new ResultMove(context.accelerators(), context.memory().allocator());
    }

    /// Prepares a tensor; ends in `response.ready` or `response.failed`, immediately if no work is needed.
    ///
    /// @param tensor taken over
    /// @param name the name in the peer's request
    /// @param direct holds the tensor if no work is needed
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
            // Its close may block on a driver.
            context.workers().execute(tensor::close);
            response.failed(DeviceSource.unknownDevice(tensor, context));
            return;
        }
        var source = new DeviceSource(context, tensor, withChecksum, unit, response, this::onEventEnded);
        DeviceEvent event = tensor.readyEvent();
        // An event ends with its tensor: if the producer has closed the tensor, its event must not be accessed.
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

    /// Returns the accelerator of the tensor's device. For a tensor on the host, whose event belongs to an accelerator,
    /// any accelerator will do.
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

    /// Ends the waits for the tensors of an ended step.
    void endStep(RdmaRendezvous step, TransportException cause) {
        awaiting.forEach((source, response) -> {
            if (response.isOf(step)) {
                source.abort(cause);
            }
        });
    }

    /// Returns a writer for a content on an accelerator; [#give] takes it back after its last write.
    StagedWrite stagedWrite(AcceleratorUnit unit) {
        StagedWrite idle = idleWrites.poll();
        return idle == null ? new StagedWrite(context.counters(), unit.options()) : idle;
    }

    /// Returns a writer for a content whose memory the peer names piece by piece.
    PieceServer pieceServer(OutgoingContent content, TensorResponse response, RdmaChannel over) {
        return new PieceServer(
                context.counters(), response, content, over, over.description().piecesAtOnce());
    }

    /// @param written a writer that has ended and has no references to it
    void give(StagedWrite written) {
        if (idleWrites.size() < MOST_IDLE_WRITES) {
            idleWrites.push(written);
        }
    }

    /// Gives the tensor in `content` to `taker`, in host memory. Content on an accelerator is copied to the host; a
    /// worker converts copied or serialised content back to a tensor.
    ///
    /// @param peer the worker that the content is for
    void handOver(OutgoingContent content, String peer, StreamedRequest.Taker taker) {
        // A separate handle: chunks may still be copied for a lost channel.
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

    /// Receives the tensor in host memory.
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
