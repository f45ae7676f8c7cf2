package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sender's side of one transfer as a pure state machine: [#step] says what follows from an event,
/// [TensorResponse] performs it.
///
/// ```
/// AwaitingTensor    -- tensor, as the request expects -->  Writing
/// AwaitingTensor    -- tensor, other metadata -->          AwaitingReRequest: the metadata is sent, the tensor kept
/// AwaitingReRequest -- asked again -->                     Writing
/// Writing           -- written -->                         Ended
/// AwaitingTensor, AwaitingReRequest -- receiver gave up --> Ended: confirmed
/// AwaitingTensor    -- step aborted -->                    Ended: the receiver is told
/// ```
sealed interface ResponseState {
    /// The tensor was not sent yet, or is being made ready.
    ///
    /// @param target where the receiver has memory, or null
    record AwaitingTensor(@Nullable Target target) implements ResponseState {}

    /// META_DATA_RESPONSE is sent.
    record AwaitingReRequest(TensorMetaData metaData) implements ResponseState {}

    /// The content is on its way.
    record Writing() implements ResponseState {}

    record Ended() implements ResponseState {}

    /// Memory of the receiver for a content of this metadata.
    record Target(TensorMetaData metaData, long address, int remoteKey) {}

    sealed interface Event {
        /// The tensor is there and can be written as it is.
        ///
        /// @param announce whether the metadata must go first even if it is as expected, because it carries a
        ///     checksum
        record Prepared(TensorMetaData metaData, boolean announce) implements Event {}

        /// There will be no tensor: the step was aborted, the key refused, the copy failed.
        record LocalFailure(TransportException cause) implements Event {}

        record ReRequested(Target target) implements Event {}

        record ReceiverGaveUp() implements Event {}

        /// The device is done with the memory, whether the content arrived or the channel failed.
        record WriteEnded() implements Event {}

        record ChannelLost() implements Event {}
    }

    sealed interface Action {
        record SendMetaData(TensorMetaData metaData) implements Action {}

        record Write(Target target) implements Action {}

        record SendError(TransportException cause) implements Action {}

        /// Tell the receiver that nothing will be written.
        record ConfirmGiveUp() implements Action {}

        /// Take the waiter back out of the table, so that it takes no tensor from another.
        record Withdraw() implements Action {}

        record ReleaseContent() implements Action {}

        record Forget() implements Action {}
    }

    record Step(ResponseState next, List<Action> actions) {
        static Step of(ResponseState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /// What follows from `event` in `state`.
    ///
    /// @throws ProtocolViolationException if it is the peer's doing and not allowed now
    static Step step(ResponseState state, Event event) {
        return switch (state) {
            case AwaitingTensor(var target) ->
                switch (event) {
                    case Event.Prepared(var metaData, var announce) -> {
                        if (!announce && target != null && target.metaData().equals(metaData)) {
                            yield Step.of(new Writing(), new Action.Write(target));
                        }
                        yield Step.of(new AwaitingReRequest(metaData), new Action.SendMetaData(metaData));
                    }
                    case Event.LocalFailure(var cause) ->
                        Step.of(new Ended(), new Action.SendError(cause), new Action.Forget());
                    case Event.ReRequested _ ->
                        throw new ProtocolViolationException("asked again before it was answered");
                    case Event.ReceiverGaveUp _ ->
                        Step.of(new Ended(), new Action.Withdraw(), new Action.ConfirmGiveUp(), new Action.Forget());
                    case Event.ChannelLost _ -> Step.of(new Ended(), new Action.Withdraw(), new Action.Forget());
                    case Event.WriteEnded _ -> throw impossible(state, event);
                };
            case AwaitingReRequest(var metaData) ->
                switch (event) {
                    case Event.ReRequested(var target) -> {
                        if (!target.metaData().equals(metaData)) {
                            throw new ProtocolViolationException(
                                    "asked again for " + target.metaData() + " instead of " + metaData);
                        }
                        yield Step.of(new Writing(), new Action.Write(target));
                    }
                    case Event.ReceiverGaveUp _ ->
                        Step.of(
                                new Ended(),
                                new Action.ReleaseContent(),
                                new Action.ConfirmGiveUp(),
                                new Action.Forget());
                    case Event.ChannelLost _ -> Step.of(new Ended(), new Action.ReleaseContent(), new Action.Forget());
                    case Event.Prepared _, Event.LocalFailure _, Event.WriteEnded _ -> throw impossible(state, event);
                };
            case Writing() ->
                switch (event) {
                    case Event.WriteEnded _ -> Step.of(new Ended(), new Action.ReleaseContent(), new Action.Forget());
                    // The content tells the receiver that its memory is free again.
                    case Event.ReceiverGaveUp _ -> Step.of(state);
                    // The channel gives the write back by WriteEnded.
                    case Event.ChannelLost _ -> Step.of(state);
                    case Event.ReRequested _ -> throw new ProtocolViolationException("asked again while it is written");
                    case Event.Prepared _, Event.LocalFailure _ -> throw impossible(state, event);
                };
            case Ended() ->
                switch (event) {
                    case Event.Prepared _ -> Step.of(state, new Action.ReleaseContent());
                    case Event.LocalFailure _,
                            Event.ReRequested _,
                            Event.ReceiverGaveUp _,
                            Event.WriteEnded _,
                            Event.ChannelLost _ -> Step.of(state);
                };
        };
    }

    private static IllegalStateException impossible(ResponseState state, Event event) {
        return new IllegalStateException(event + " in state " + state);
    }
}
