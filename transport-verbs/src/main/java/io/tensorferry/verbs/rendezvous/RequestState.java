package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The receiver's side of one transfer as a pure state machine: [#step] says what follows from an event,
/// [TensorRequest] performs it.
///
/// ```
/// AwaitingChannel -- channel -->   AwaitingReply: the request is sent, with memory if the metadata is known
/// AwaitingReply   -- content -->   Landed: the peer's key is revoked --> Ended: delivered
/// AwaitingReply   -- metadata and content --> Filling --> Ended: delivered
/// AwaitingReply   -- metadata -->  Allocating --> AwaitingContent: asked again --> content --> Landed --> Ended
/// any of them     -- refused -->   Ended: failed
/// any of them     -- given up -->  GivenUp: the sender is told; memory is kept until it confirms or content lands
/// any of them     -- suspended --> AwaitingChannel: sent again on the next one; what was given up ends
/// AwaitingChannel -- fallback -->  Ended: the receive goes on over the fallback
/// any of them     -- lost -->      Ended: failed
/// ```
sealed interface RequestState {
    /// No channel to the peer yet, or not any more.
    ///
    /// @param expected the metadata that there is memory for, or null
    /// @param replay whether the request was sent on a channel that is gone
    record AwaitingChannel(@Nullable TensorMetaData expected, boolean replay) implements RequestState {}

    /// TENSOR_REQUEST is sent.
    ///
    /// @param expected the metadata that memory was allocated for, or null
    record AwaitingReply(@Nullable TensorMetaData expected) implements RequestState {}

    /// META_DATA_RESPONSE came; memory is being allocated.
    record Allocating(TensorMetaData metaData) implements RequestState {}

    /// META_DATA_RESPONSE came with the content: memory for it is being allocated, and the peer is done.
    record Filling(TensorMetaData metaData) implements RequestState {}

    /// TENSOR_RE_REQUEST is sent.
    record AwaitingContent(TensorMetaData metaData) implements RequestState {}

    /// The content is in place; the peer's right to write there is being taken back.
    record Landed(TensorMetaData metaData) implements RequestState {}

    /// The user has been told; the peer may still write into the memory.
    record GivenUp() implements RequestState {}

    record Ended() implements RequestState {}

    sealed interface Event {
        record ChannelOpen() implements Event {}

        /// No channel can be had for the time being, but another way.
        record FallbackOpen() implements Event {}

        record MetaDataChanged(TensorMetaData metaData) implements Event {}

        /// The same, and the content is there with it.
        record ContentCarried(TensorMetaData metaData) implements Event {}

        record Allocated() implements Event {}

        record AllocationFailed(TransportException cause) implements Event {}

        record ContentLanded() implements Event {}

        /// The peer cannot write into the memory any more.
        record KeyRevoked() implements Event {}

        /// The device has no key to give to the peer: the message that would name the memory was not sent. Or, of a
        /// content in pieces: a piece can have no memory or no key, or cannot be copied away, and no other is named.
        record NoKey(TransportException cause) implements Event {}

        /// ERROR_STATUS came: there will be no content, and the sender does not write.
        record Refused(TransportException cause) implements Event {}

        /// Cancelled, aborted or closed by this worker.
        record UserGaveUp() implements Event {}

        /// The queue pairs are gone, nothing lands any more; the peer may go on over other ones.
        ///
        /// @param keepsMemory whether what was named is named again then, and not given back
        record ChannelSuspended(boolean keepsMemory) implements Event {}

        /// The same, for good: no channel can be had, or the peer that had the request is no more.
        record ChannelLost(TransportException cause) implements Event {}
    }

    sealed interface Action {
        record SendRequest(@Nullable TensorMetaData expected, boolean replay) implements Action {}

        /// Wait for the next channel.
        record AwaitChannel() implements Action {}

        /// Wait for none any more.
        record LeaveChannelQueue() implements Action {}

        /// Hand the receive to the fallback.
        ///
        /// @param replay whether the request was sent on a channel that is gone
        record MoveToFallback(boolean replay) implements Action {}

        /// Allocate memory and remember the metadata for next time.
        record Allocate(TensorMetaData metaData) implements Action {}

        record SendReRequest(TensorMetaData metaData) implements Action {}

        /// Tell the sender that the receiver does not wait any longer.
        record SendGiveUp() implements Action {}

        /// Take back the peer's right to write into the memory.
        record RevokeKey() implements Action {}

        record Deliver(TensorMetaData metaData) implements Action {}

        record Fail(TransportException cause) implements Action {}

        /// Free the memory, when the peer cannot write into it any more.
        record ReleaseMemory() implements Action {}

        /// The index is free for another request.
        record Forget() implements Action {}
    }

    record Step(RequestState next, List<Action> actions) {
        static Step of(RequestState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /// What follows from `event` in `state`.
    ///
    /// @throws ProtocolViolationException if it is the peer's doing and not allowed now
    static Step step(RequestState state, Event event) {
        return switch (state) {
            case AwaitingChannel(var expected, var replay) ->
                switch (event) {
                    case Event.ChannelOpen() ->
                        Step.of(new AwaitingReply(expected), new Action.SendRequest(expected, replay));
                    case Event.FallbackOpen() ->
                        Step.of(
                                new Ended(),
                                new Action.ReleaseMemory(),
                                new Action.MoveToFallback(replay),
                                new Action.Forget());
                    case Event.ChannelLost(var cause) -> failed(cause);
                    case Event.UserGaveUp() ->
                        Step.of(
                                new Ended(),
                                new Action.LeaveChannelQueue(),
                                new Action.ReleaseMemory(),
                                new Action.Forget());
                    case Event.MetaDataChanged _, Event.ContentCarried _, Event.ContentLanded _, Event.Refused _ ->
                        throw new ProtocolViolationException("an answer to a request that was not sent");
                    case Event.ChannelSuspended _,
                            Event.Allocated _,
                            Event.AllocationFailed _,
                            Event.KeyRevoked _,
                            Event.NoKey _ -> throw impossible(state, event);
                };
            case AwaitingReply(var expected) ->
                switch (event) {
                    case Event.MetaDataChanged(var metaData) ->
                        Step.of(new Allocating(metaData), new Action.ReleaseMemory(), new Action.Allocate(metaData));
                    case Event.ContentCarried(var metaData) ->
                        Step.of(new Filling(metaData), new Action.ReleaseMemory(), new Action.Allocate(metaData));
                    case Event.ContentLanded() -> {
                        if (expected == null) {
                            throw new ProtocolViolationException("content for a request that named no memory");
                        }
                        yield landed(expected);
                    }
                    case Event.Refused(var cause) -> failed(cause);
                    case Event.NoKey(var cause) -> failed(cause);
                    case Event.UserGaveUp() -> givenUp();
                    case Event.ChannelSuspended(var keepsMemory) -> suspended(expected, keepsMemory);
                    case Event.ChannelLost(var cause) -> failed(cause);
                    case Event.ChannelOpen _,
                            Event.FallbackOpen _,
                            Event.Allocated _,
                            Event.AllocationFailed _,
                            Event.KeyRevoked _ -> throw impossible(state, event);
                };
            case Allocating(var metaData) ->
                switch (event) {
                    case Event.Allocated() ->
                        Step.of(new AwaitingContent(metaData), new Action.SendReRequest(metaData));
                    case Event.AllocationFailed(var cause) ->
                        Step.of(new GivenUp(), new Action.Fail(cause), new Action.SendGiveUp());
                    case Event.MetaDataChanged _, Event.ContentCarried _ ->
                        throw new ProtocolViolationException("metadata twice for one request");
                    case Event.ContentLanded _ ->
                        throw new ProtocolViolationException("content for a request that named no memory");
                    case Event.Refused(var cause) -> failed(cause);
                    case Event.UserGaveUp() -> givenUp();
                    // What is being allocated is thrown away when it comes.
                    case Event.ChannelSuspended _ -> suspended(null, true);
                    case Event.ChannelLost(var cause) -> failed(cause);
                    case Event.ChannelOpen _, Event.FallbackOpen _, Event.KeyRevoked _, Event.NoKey _ ->
                        throw impossible(state, event);
                };
            case Filling(var metaData) ->
                switch (event) {
                    case Event.Allocated() -> delivered(metaData);
                    case Event.AllocationFailed(var cause) -> failed(cause);
                    case Event.UserGaveUp() -> Step.of(new Ended(), new Action.Forget());
                    // The peer has said all that it may say of this request, and what becomes of it does not matter.
                    case Event.MetaDataChanged _,
                            Event.ContentCarried _,
                            Event.ContentLanded _,
                            Event.Refused _,
                            Event.ChannelSuspended _,
                            Event.ChannelLost _ -> Step.of(state);
                    case Event.ChannelOpen _, Event.FallbackOpen _, Event.KeyRevoked _, Event.NoKey _ ->
                        throw impossible(state, event);
                };
            case AwaitingContent(var metaData) ->
                switch (event) {
                    case Event.ContentLanded() -> landed(metaData);
                    case Event.MetaDataChanged _, Event.ContentCarried _ ->
                        throw new ProtocolViolationException("metadata twice for one request");
                    case Event.Refused(var cause) -> failed(cause);
                    case Event.NoKey(var cause) ->
                        Step.of(new GivenUp(), new Action.Fail(cause), new Action.SendGiveUp());
                    case Event.UserGaveUp() -> givenUp();
                    case Event.ChannelSuspended(var keepsMemory) -> suspended(metaData, keepsMemory);
                    case Event.ChannelLost(var cause) -> failed(cause);
                    case Event.ChannelOpen _,
                            Event.FallbackOpen _,
                            Event.Allocated _,
                            Event.AllocationFailed _,
                            Event.KeyRevoked _ -> throw impossible(state, event);
                };
            case Landed(var metaData) ->
                switch (event) {
                    case Event.KeyRevoked() -> delivered(metaData);
                    // Too late: the receive finds that the user has ended it.
                    case Event.UserGaveUp _ -> Step.of(state);
                    // The peer has said all that it may say of this request.
                    case Event.MetaDataChanged _, Event.ContentCarried _, Event.ContentLanded _, Event.Refused _ ->
                        Step.of(state);
                    case Event.ChannelOpen _,
                            Event.FallbackOpen _,
                            Event.Allocated _,
                            Event.AllocationFailed _,
                            Event.NoKey _,
                            // The key is revoked before the loss is told.
                            Event.ChannelSuspended _ -> throw impossible(state, event);
                    // It could not be revoked.
                    case Event.ChannelLost(var cause) -> failed(cause);
                };
            case GivenUp() ->
                switch (event) {
                    // The content, a refusal or the confirmation: the sender is done with the memory.
                    case Event.ContentLanded _,
                            Event.ContentCarried _,
                            Event.Refused _,
                            Event.ChannelSuspended _,
                            Event.ChannelLost _ -> silentEnd();
                    // The metadata crossed the give-up on the way; the confirmation follows.
                    case Event.MetaDataChanged _ -> Step.of(state);
                    // Memory that no message has named yet.
                    case Event.Allocated _ -> Step.of(state, new Action.ReleaseMemory());
                    // The request that would have named the memory was not sent: nobody writes there.
                    case Event.NoKey _ -> silentEnd();
                    case Event.AllocationFailed _, Event.UserGaveUp _ -> Step.of(state);
                    case Event.ChannelOpen _, Event.FallbackOpen _, Event.KeyRevoked _ ->
                        throw impossible(state, event);
                };
            case Ended() ->
                switch (event) {
                    case Event.Allocated _ -> Step.of(state, new Action.ReleaseMemory());
                    case Event.ChannelOpen _,
                            Event.FallbackOpen _,
                            Event.MetaDataChanged _,
                            Event.ContentCarried _,
                            Event.AllocationFailed _,
                            Event.ContentLanded _,
                            Event.KeyRevoked _,
                            Event.NoKey _,
                            Event.Refused _,
                            Event.UserGaveUp _,
                            Event.ChannelSuspended _,
                            Event.ChannelLost _ -> Step.of(state);
                };
        };
    }

    private static Step landed(TensorMetaData metaData) {
        return Step.of(new Landed(metaData), new Action.RevokeKey());
    }

    private static Step delivered(TensorMetaData metaData) {
        // First: when the user hears of the end, nothing is pending.
        return Step.of(new Ended(), new Action.Forget(), new Action.Deliver(metaData));
    }

    private static Step failed(TransportException cause) {
        return Step.of(new Ended(), new Action.ReleaseMemory(), new Action.Forget(), new Action.Fail(cause));
    }

    /// @param allocated what there is memory for, or null
    private static Step suspended(@Nullable TensorMetaData allocated, boolean keepsMemory) {
        return keepsMemory
                ? Step.of(new AwaitingChannel(allocated, true), new Action.AwaitChannel())
                : Step.of(new AwaitingChannel(null, true), new Action.ReleaseMemory(), new Action.AwaitChannel());
    }

    private static Step givenUp() {
        return Step.of(new GivenUp(), new Action.SendGiveUp());
    }

    private static Step silentEnd() {
        return Step.of(new Ended(), new Action.ReleaseMemory(), new Action.Forget());
    }

    private static IllegalStateException impossible(RequestState state, Event event) {
        return new IllegalStateException(event + " in state " + state);
    }
}
