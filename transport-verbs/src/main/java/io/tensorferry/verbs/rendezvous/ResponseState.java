package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sender's side of one transfer as a pure state machine: [#step] says what follows from an event,
/// [TensorResponse] performs it.
///
/// ```
/// AwaitingTensor    -- tensor, as the request expects -->  Writing
/// AwaitingTensor    -- small tensor, other metadata -->    Writing: the metadata is sent, and the content with it
/// AwaitingTensor    -- tensor, other metadata -->          AwaitingReRequest: the metadata is sent, the tensor kept
/// AwaitingReRequest -- asked again -->                     Writing
/// Writing           -- written -->                         Ended
/// Writing           -- copy failed -->                     Ended: the receiver is told
/// Writing           -- in pieces, given up, stopped -->    Ended: confirmed
/// AwaitingTensor, AwaitingReRequest -- receiver gave up --> Ended: confirmed
/// AwaitingTensor    -- step aborted -->                    Ended: the receiver is told
/// AwaitingTensor    -- channel suspended -->               Ended, if no tensor was taken for it; otherwise Detached
/// AwaitingReRequest, Writing -- channel suspended -->      Detached: the tensor is kept
/// Detached          -- asked again on the next channel --> as if the tensor had just come
/// Detached          -- not asked again, or peer gone -->   Ended
/// Detached          -- claimed over the fallback -->       Ended: handed over; HandingOver until the tensor is ready
/// ```
sealed interface ResponseState {
    /// The tensor was not sent yet, or is being made ready.
    ///
    /// @param expected the metadata that the receiver has memory for, or null
    record AwaitingTensor(@Nullable TensorMetaData expected) implements ResponseState {}

    /// META_DATA_RESPONSE is sent.
    record AwaitingReRequest(TensorMetaData metaData) implements ResponseState {}

    /// The content is on its way.
    record Writing(TensorMetaData metaData) implements ResponseState {}

    /// The channel was lost after a tensor was taken for the request. The receiver, if it did not get it, asks again.
    ///
    /// @param metaData the tensor's, or null while it is still being made ready
    record Detached(@Nullable TensorMetaData metaData) implements ResponseState {}

    /// The same, but the tensor that was taken could not be made ready.
    record DetachedFailure(TransportException cause) implements ResponseState {}

    /// The receiver has asked again over the fallback; the tensor that was taken is still being made ready.
    record HandingOver() implements ResponseState {}

    record Ended() implements ResponseState {}

    sealed interface Event {
        /// The tensor is there and can be written as it is.
        ///
        /// @param announce whether the metadata must go first even if it is as expected, because it carries a
        ///     checksum
        /// @param carried whether content and metadata have room in one message
        record Prepared(TensorMetaData metaData, boolean announce, boolean carried) implements Event {}

        /// There will be no tensor: the step was aborted, the key refused, the copy failed.
        record LocalFailure(TransportException cause) implements Event {}

        /// The receiver has memory for a content of this metadata.
        record ReRequested(TensorMetaData metaData) implements Event {}

        record ReceiverGaveUp() implements Event {}

        /// The peer's device has all of it.
        record Written() implements Event {}

        /// The channel failed first. The device is done with the memory; the content may have arrived or not.
        record WriteAbandoned() implements Event {}

        /// The content cannot be copied to where the device reads it. Nothing of it is under way any more; parts may
        /// have arrived.
        record StagingFailed(TransportException cause) implements Event {}

        /// The receiver has given up a content in pieces before it had named memory for all of it. Nothing of it is
        /// under way any more.
        record PiecesStopped() implements Event {}

        /// The channel is gone; the receiver may come back over another one.
        record ChannelSuspended() implements Event {}

        /// The table had not given a tensor, and will not.
        record Withdrawn() implements Event {}

        /// The receiver asks again, over another channel.
        ///
        /// @param expected the metadata that the receiver has memory for, or null
        /// @param announce as in [Prepared]
        /// @param carried as in [Prepared]
        record Replayed(@Nullable TensorMetaData expected, boolean announce, boolean carried) implements Event {}

        /// The receiver asks again, over the fallback.
        record Claimed() implements Event {}

        /// The receiver does not ask again.
        record NotReplayed() implements Event {}

        /// The channel is gone, and the receiver with it.
        record ChannelLost() implements Event {}
    }

    sealed interface Action {
        record SendMetaData() implements Action {}

        /// Write the content where the receiver said last.
        record Write() implements Action {}

        /// Send the content in one message with its metadata.
        record SendWithMetaData() implements Action {}

        record SendError(TransportException cause) implements Action {}

        /// Tell the receiver that nothing will be written.
        record ConfirmGiveUp() implements Action {}

        /// Take the waiter back out of the table, so that it takes no tensor from another.
        record Withdraw() implements Action {}

        /// The same; where it had not taken one yet, [Event.Withdrawn] follows.
        record TryWithdraw() implements Action {}

        /// Give the content to whoever claimed it.
        record HandOver() implements Action {}

        /// Tell whoever claimed it that there is none.
        record FailClaim(TransportException cause) implements Action {}

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
            case AwaitingTensor(var expected) ->
                switch (event) {
                    case Event.Prepared(var metaData, var announce, var carried) ->
                        answer(metaData, expected, announce, carried);
                    case Event.LocalFailure(var cause) -> refused(cause);
                    case Event.ReRequested _ ->
                        throw new ProtocolViolationException("asked again before it was answered");
                    case Event.ReceiverGaveUp _ ->
                        Step.of(new Ended(), new Action.Withdraw(), new Action.ConfirmGiveUp(), new Action.Forget());
                    case Event.ChannelSuspended _ -> Step.of(new Detached(null), new Action.TryWithdraw());
                    case Event.ChannelLost _ -> Step.of(new Ended(), new Action.Withdraw(), new Action.Forget());
                    case Event.Replayed _, Event.Claimed _ -> throw notLost();
                    case Event.NotReplayed _ -> Step.of(state);
                    case Event.Written _,
                            Event.WriteAbandoned _,
                            Event.StagingFailed _,
                            Event.PiecesStopped _,
                            Event.Withdrawn _ -> throw impossible(state, event);
                };
            case AwaitingReRequest(var metaData) ->
                switch (event) {
                    case Event.ReRequested(var allocated) -> {
                        if (!allocated.equals(metaData)) {
                            throw new ProtocolViolationException(
                                    "asked again for " + allocated + " instead of " + metaData);
                        }
                        yield Step.of(new Writing(metaData), new Action.Write());
                    }
                    case Event.ReceiverGaveUp _ ->
                        Step.of(
                                new Ended(),
                                new Action.ReleaseContent(),
                                new Action.ConfirmGiveUp(),
                                new Action.Forget());
                    case Event.ChannelSuspended _ -> Step.of(new Detached(metaData));
                    case Event.ChannelLost _ -> dropped();
                    case Event.Replayed _, Event.Claimed _ -> throw notLost();
                    case Event.NotReplayed _ -> Step.of(state);
                    case Event.Prepared _,
                            Event.LocalFailure _,
                            Event.Written _,
                            Event.WriteAbandoned _,
                            Event.StagingFailed _,
                            Event.PiecesStopped _,
                            Event.Withdrawn _ -> throw impossible(state, event);
                };
            case Writing(var metaData) ->
                switch (event) {
                    case Event.Written _ -> dropped();
                    case Event.WriteAbandoned _ -> Step.of(new Detached(metaData));
                    // Also where the receiver has given up: it tells that its memory is free again.
                    case Event.StagingFailed(var cause) ->
                        Step.of(
                                new Ended(),
                                new Action.SendError(cause),
                                new Action.ReleaseContent(),
                                new Action.Forget());
                    case Event.PiecesStopped _ ->
                        Step.of(
                                new Ended(),
                                new Action.ReleaseContent(),
                                new Action.ConfirmGiveUp(),
                                new Action.Forget());
                    // The content tells the receiver that its memory is free again.
                    case Event.ReceiverGaveUp _ -> Step.of(state);
                    // The channel gives the write back before it is lost.
                    case Event.ChannelSuspended _, Event.ChannelLost _, Event.NotReplayed _ -> Step.of(state);
                    case Event.ReRequested _ -> throw new ProtocolViolationException("asked again while it is written");
                    case Event.Replayed _, Event.Claimed _ -> throw notLost();
                    case Event.Prepared _, Event.LocalFailure _, Event.Withdrawn _ -> throw impossible(state, event);
                };
            case Detached(var metaData) ->
                switch (event) {
                    case Event.Prepared(var ready, var _, var _) -> Step.of(new Detached(ready));
                    case Event.LocalFailure(var cause) -> Step.of(new DetachedFailure(cause));
                    case Event.Withdrawn _ -> Step.of(new Ended(), new Action.Forget());
                    case Event.Replayed(var expected, var announce, var carried) ->
                        metaData == null
                                ? Step.of(new AwaitingTensor(expected))
                                : answer(metaData, expected, announce, carried);
                    case Event.Claimed _ -> metaData == null ? Step.of(new HandingOver()) : handedOver();
                    case Event.NotReplayed _, Event.ChannelLost _ -> dropped();
                    case Event.ChannelSuspended _ -> Step.of(state);
                    // It came on the channel that is going: the write was given back before the last messages were
                    // taken.
                    case Event.ReceiverGaveUp _ -> dropped();
                    case Event.ReRequested _ -> throw notAsked();
                    case Event.Written _, Event.WriteAbandoned _, Event.StagingFailed _, Event.PiecesStopped _ ->
                        throw impossible(state, event);
                };
            case DetachedFailure(var cause) ->
                switch (event) {
                    case Event.Replayed _ -> refused(cause);
                    case Event.Claimed _ -> Step.of(new Ended(), new Action.FailClaim(cause), new Action.Forget());
                    case Event.NotReplayed _, Event.ChannelLost _ -> dropped();
                    case Event.ChannelSuspended _ -> Step.of(state);
                    case Event.ReRequested _, Event.ReceiverGaveUp _ -> throw notAsked();
                    case Event.Prepared _,
                            Event.LocalFailure _,
                            Event.Withdrawn _,
                            Event.Written _,
                            Event.WriteAbandoned _,
                            Event.StagingFailed _,
                            Event.PiecesStopped _ -> throw impossible(state, event);
                };
            case HandingOver() ->
                switch (event) {
                    case Event.Prepared _ -> handedOver();
                    case Event.LocalFailure(var cause) ->
                        Step.of(new Ended(), new Action.FailClaim(cause), new Action.Forget());
                    // The receiver waits for it on another path.
                    case Event.NotReplayed _, Event.ChannelSuspended _, Event.ChannelLost _ -> Step.of(state);
                    case Event.Replayed _, Event.Claimed _ -> throw notLost();
                    case Event.ReRequested _, Event.ReceiverGaveUp _ -> throw notAsked();
                    case Event.Withdrawn _,
                            Event.Written _,
                            Event.WriteAbandoned _,
                            Event.StagingFailed _,
                            Event.PiecesStopped _ -> throw impossible(state, event);
                };
            case Ended() ->
                switch (event) {
                    case Event.Prepared _ -> Step.of(state, new Action.ReleaseContent());
                    case Event.LocalFailure _,
                            Event.ReRequested _,
                            Event.ReceiverGaveUp _,
                            Event.Written _,
                            Event.WriteAbandoned _,
                            Event.StagingFailed _,
                            Event.PiecesStopped _,
                            Event.ChannelSuspended _,
                            Event.Withdrawn _,
                            Event.Replayed _,
                            Event.Claimed _,
                            Event.NotReplayed _,
                            Event.ChannelLost _ -> Step.of(state);
                };
        };
    }

    /// What a request is told when its tensor is ready.
    private static Step answer(
            TensorMetaData metaData, @Nullable TensorMetaData expected, boolean announce, boolean carried) {
        if (!announce && metaData.equals(expected)) {
            return Step.of(new Writing(metaData), new Action.Write());
        }
        if (carried) {
            return Step.of(new Writing(metaData), new Action.SendWithMetaData());
        }
        return Step.of(new AwaitingReRequest(metaData), new Action.SendMetaData());
    }

    private static Step refused(TransportException cause) {
        return Step.of(new Ended(), new Action.SendError(cause), new Action.Forget());
    }

    private static Step handedOver() {
        return Step.of(new Ended(), new Action.HandOver(), new Action.Forget());
    }

    private static Step dropped() {
        return Step.of(new Ended(), new Action.ReleaseContent(), new Action.Forget());
    }

    private static ProtocolViolationException notLost() {
        return new ProtocolViolationException("a request index is in use");
    }

    private static ProtocolViolationException notAsked() {
        return new ProtocolViolationException("a message about a request that was not asked again on this channel");
    }

    private static IllegalStateException impossible(ResponseState state, Event event) {
        return new IllegalStateException(event + " in state " + state);
    }
}
