package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;

/// The states of the sender's side of one transfer, as a pure state machine: [#step] returns the transition,
/// [TensorResponse] performs its actions. The metadata, the content and the causes belong to the response.
///
/// ```
/// AWAITING_TENSOR     -- tensor, as the request expects -->  WRITING
/// AWAITING_TENSOR     -- small tensor, other metadata -->    WRITING: metadata and content in one message
/// AWAITING_TENSOR     -- tensor, other metadata -->          AWAITING_RE_REQUEST: metadata sent, tensor kept
/// AWAITING_RE_REQUEST -- asked again -->                     WRITING
/// WRITING             -- written -->                         ENDED
/// WRITING             -- copy failed -->                     ENDED: an error is sent
/// WRITING             -- in pieces, given up, stopped -->    ENDED: confirmed
/// AWAITING_TENSOR, AWAITING_RE_REQUEST -- receiver gave up --> ENDED: confirmed
/// AWAITING_TENSOR     -- step aborted -->                    ENDED: an error is sent
/// AWAITING_TENSOR     -- channel suspended -->               ENDED without a tensor, else PREPARING_DETACHED
/// AWAITING_RE_REQUEST, WRITING -- channel suspended -->      DETACHED: the tensor is kept
/// DETACHED            -- asked again on the next channel --> as if the tensor had just come
/// DETACHED            -- not asked again, or peer gone -->   ENDED
/// DETACHED            -- claimed over the fallback -->       ENDED: handed over; HANDING_OVER until it is ready
/// ```
///
/// All transitions are preallocated: a step allocates nothing.
enum ResponseState {
    /// The tensor was not sent yet, or is being prepared.
    AWAITING_TENSOR,
    /// META_DATA_RESPONSE was sent.
    AWAITING_RE_REQUEST,
    /// The content is being written.
    WRITING,
    /// The channel was lost after a tensor was taken for the request. A receiver that did not get the tensor asks
    /// again.
    DETACHED,
    /// As [#DETACHED], and the tensor is still being prepared.
    PREPARING_DETACHED,
    /// As [#DETACHED], and the tensor could not be prepared.
    DETACHED_FAILURE,
    /// The receiver has asked again over the fallback; the tensor is still being prepared.
    HANDING_OVER,
    ENDED;

    enum Event {
        /// The tensor is ready, and can be written to the memory of the request: its metadata is as expected.
        PREPARED_AS_EXPECTED,
        /// The tensor is ready; its metadata must be sent first. Metadata and content fit into one message.
        PREPARED_SMALL,
        /// The tensor is ready; its metadata must be sent first.
        PREPARED,
        /// There will be no tensor: the step was aborted, the key refused, or the copy failed.
        LOCAL_FAILURE,
        /// The receiver has memory for the metadata that was sent.
        RE_REQUESTED,
        /// The receiver has memory for metadata that was not sent.
        RE_REQUESTED_OTHERWISE,
        RECEIVER_GAVE_UP,
        /// The peer's device has received the whole content.
        WRITTEN,
        /// The channel failed first. The device has released the memory; the content may or may not have arrived.
        WRITE_ABANDONED,
        /// The content cannot be copied to memory that the device reads. No chunk is in flight any more; parts may have
        /// arrived.
        STAGING_FAILED,
        /// The receiver gave up a content in pieces before it had named memory for all of it. No chunk is in flight any
        /// more.
        PIECES_STOPPED,
        /// The channel is lost; the receiver may come back over another channel.
        CHANNEL_SUSPENDED,
        /// The table had not given a tensor, and will not.
        WITHDRAWN,
        /// The receiver asks again, over another channel.
        REPLAYED,
        /// The receiver asks again, over the fallback.
        CLAIMED,
        /// The receiver does not ask again.
        NOT_REPLAYED,
        /// The channel is lost, and the receiver with it.
        CHANNEL_LOST
    }

    enum Action {
        /// Raise the event for the tensor that is ready: [Event#PREPARED_AS_EXPECTED], [Event#PREPARED_SMALL] or
        /// [Event#PREPARED].
        ANSWER,
        SEND_METADATA,
        /// Write the content to the memory that the receiver named last.
        WRITE,
        /// Send the content in one message with its metadata.
        SEND_WITH_METADATA,
        SEND_ERROR,
        /// Notify the receiver that nothing will be written.
        CONFIRM_GIVE_UP,
        /// Remove the waiter from the table, so that it does not take the tensor of another request.
        WITHDRAW,
        /// As [#WITHDRAW]; if the waiter had not taken a tensor yet, [Event#WITHDRAWN] follows.
        TRY_WITHDRAW,
        /// Give the content to the claimant.
        HAND_OVER,
        /// Notify the claimant that there is no content.
        FAIL_CLAIM,
        RELEASE_CONTENT,
        FORGET
    }

    record Step(ResponseState next, List<Action> actions) {
        private static Step to(ResponseState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    private static final Step WRITE = Step.to(WRITING, Action.WRITE);
    private static final Step SEND_WITH_METADATA = Step.to(WRITING, Action.SEND_WITH_METADATA);
    private static final Step SEND_METADATA = Step.to(AWAITING_RE_REQUEST, Action.SEND_METADATA);
    private static final Step REFUSE = Step.to(ENDED, Action.SEND_ERROR, Action.FORGET);
    private static final Step WITHDRAW_AND_CONFIRM =
            Step.to(ENDED, Action.WITHDRAW, Action.CONFIRM_GIVE_UP, Action.FORGET);
    private static final Step TRY_WITHDRAW = Step.to(PREPARING_DETACHED, Action.TRY_WITHDRAW);
    private static final Step WITHDRAW = Step.to(ENDED, Action.WITHDRAW, Action.FORGET);
    private static final Step CONFIRM = Step.to(ENDED, Action.RELEASE_CONTENT, Action.CONFIRM_GIVE_UP, Action.FORGET);
    private static final Step DETACH = Step.to(DETACHED);
    private static final Step FAIL_WRITE = Step.to(ENDED, Action.SEND_ERROR, Action.RELEASE_CONTENT, Action.FORGET);
    private static final Step DROP = Step.to(ENDED, Action.RELEASE_CONTENT, Action.FORGET);
    private static final Step DETACH_FAILURE = Step.to(DETACHED_FAILURE);
    private static final Step FORGET = Step.to(ENDED, Action.FORGET);
    private static final Step ANSWER = Step.to(AWAITING_TENSOR, Action.ANSWER);
    private static final Step AWAIT_TENSOR = Step.to(AWAITING_TENSOR);
    private static final Step HAND_OVER_LATER = Step.to(HANDING_OVER);
    private static final Step HAND_OVER = Step.to(ENDED, Action.HAND_OVER, Action.FORGET);
    private static final Step FAIL_CLAIM = Step.to(ENDED, Action.FAIL_CLAIM, Action.FORGET);
    private static final Step STAY_AWAITING_RE_REQUEST = Step.to(AWAITING_RE_REQUEST);
    private static final Step STAY_WRITING = Step.to(WRITING);
    private static final Step STAY_PREPARING_DETACHED = Step.to(PREPARING_DETACHED);
    private static final Step STAY_ENDED = Step.to(ENDED);
    private static final Step RELEASE_ENDED = Step.to(ENDED, Action.RELEASE_CONTENT);

    /// Returns the transition for `event` in this state.
    ///
    /// @throws ProtocolViolationException if the event comes from the peer and is not allowed now
    Step step(Event event) {
        return switch (this) {
            case AWAITING_TENSOR ->
                switch (event) {
                    case PREPARED_AS_EXPECTED -> WRITE;
                    case PREPARED_SMALL -> SEND_WITH_METADATA;
                    case PREPARED -> SEND_METADATA;
                    case LOCAL_FAILURE -> REFUSE;
                    case RE_REQUESTED, RE_REQUESTED_OTHERWISE ->
                        throw new ProtocolViolationException("a request was repeated before it was answered");
                    case RECEIVER_GAVE_UP -> WITHDRAW_AND_CONFIRM;
                    case CHANNEL_SUSPENDED -> TRY_WITHDRAW;
                    case CHANNEL_LOST -> WITHDRAW;
                    case REPLAYED, CLAIMED -> throw notLost();
                    case NOT_REPLAYED -> AWAIT_TENSOR;
                    case WRITTEN, WRITE_ABANDONED, STAGING_FAILED, PIECES_STOPPED, WITHDRAWN -> throw impossible(event);
                };
            case AWAITING_RE_REQUEST ->
                switch (event) {
                    case RE_REQUESTED -> WRITE;
                    case RE_REQUESTED_OTHERWISE ->
                        throw new ProtocolViolationException(
                                "a request was repeated with other metadata than announced");
                    case RECEIVER_GAVE_UP -> CONFIRM;
                    case CHANNEL_SUSPENDED -> DETACH;
                    case CHANNEL_LOST -> DROP;
                    case REPLAYED, CLAIMED -> throw notLost();
                    case NOT_REPLAYED -> STAY_AWAITING_RE_REQUEST;
                    case PREPARED_AS_EXPECTED,
                            PREPARED_SMALL,
                            PREPARED,
                            LOCAL_FAILURE,
                            WRITTEN,
                            WRITE_ABANDONED,
                            STAGING_FAILED,
                            PIECES_STOPPED,
                            WITHDRAWN -> throw impossible(event);
                };
            case WRITING ->
                switch (event) {
                    case WRITTEN -> DROP;
                    case WRITE_ABANDONED -> DETACH;
                    // Also if the receiver has given up: the error shows it that its memory is free again.
                    case STAGING_FAILED -> FAIL_WRITE;
                    case PIECES_STOPPED -> CONFIRM;
                    // The content shows the receiver that its memory is free again. A channel returns the write before
                    // it is lost.
                    case RECEIVER_GAVE_UP, CHANNEL_SUSPENDED, CHANNEL_LOST, NOT_REPLAYED -> STAY_WRITING;
                    case RE_REQUESTED, RE_REQUESTED_OTHERWISE ->
                        throw new ProtocolViolationException("a request was repeated while its content is written");
                    case REPLAYED, CLAIMED -> throw notLost();
                    case PREPARED_AS_EXPECTED, PREPARED_SMALL, PREPARED, LOCAL_FAILURE, WITHDRAWN ->
                        throw impossible(event);
                };
            case DETACHED, PREPARING_DETACHED ->
                switch (event) {
                    case PREPARED_AS_EXPECTED, PREPARED_SMALL, PREPARED -> DETACH;
                    case LOCAL_FAILURE -> DETACH_FAILURE;
                    case WITHDRAWN -> FORGET;
                    case REPLAYED -> this == DETACHED ? ANSWER : AWAIT_TENSOR;
                    case CLAIMED -> this == DETACHED ? HAND_OVER : HAND_OVER_LATER;
                    case NOT_REPLAYED, CHANNEL_LOST -> DROP;
                    case CHANNEL_SUSPENDED -> this == DETACHED ? DETACH : STAY_PREPARING_DETACHED;
                    // The message came on the channel that is being lost: the write was returned before the last
                    // messages were processed.
                    case RECEIVER_GAVE_UP -> DROP;
                    case RE_REQUESTED, RE_REQUESTED_OTHERWISE -> throw notAsked();
                    case WRITTEN, WRITE_ABANDONED, STAGING_FAILED, PIECES_STOPPED -> throw impossible(event);
                };
            case DETACHED_FAILURE ->
                switch (event) {
                    case REPLAYED -> REFUSE;
                    case CLAIMED -> FAIL_CLAIM;
                    case NOT_REPLAYED, CHANNEL_LOST -> DROP;
                    case CHANNEL_SUSPENDED -> DETACH_FAILURE;
                    case RE_REQUESTED, RE_REQUESTED_OTHERWISE, RECEIVER_GAVE_UP -> throw notAsked();
                    case PREPARED_AS_EXPECTED,
                            PREPARED_SMALL,
                            PREPARED,
                            LOCAL_FAILURE,
                            WITHDRAWN,
                            WRITTEN,
                            WRITE_ABANDONED,
                            STAGING_FAILED,
                            PIECES_STOPPED -> throw impossible(event);
                };
            case HANDING_OVER ->
                switch (event) {
                    case PREPARED_AS_EXPECTED, PREPARED_SMALL, PREPARED -> HAND_OVER;
                    case LOCAL_FAILURE -> FAIL_CLAIM;
                    // The receiver waits for the content on another path.
                    case NOT_REPLAYED, CHANNEL_SUSPENDED, CHANNEL_LOST -> HAND_OVER_LATER;
                    case REPLAYED, CLAIMED -> throw notLost();
                    case RE_REQUESTED, RE_REQUESTED_OTHERWISE, RECEIVER_GAVE_UP -> throw notAsked();
                    case WITHDRAWN, WRITTEN, WRITE_ABANDONED, STAGING_FAILED, PIECES_STOPPED -> throw impossible(event);
                };
            case ENDED ->
                switch (event) {
                    case PREPARED_AS_EXPECTED, PREPARED_SMALL, PREPARED -> RELEASE_ENDED;
                    case LOCAL_FAILURE,
                            RE_REQUESTED,
                            RE_REQUESTED_OTHERWISE,
                            RECEIVER_GAVE_UP,
                            WRITTEN,
                            WRITE_ABANDONED,
                            STAGING_FAILED,
                            PIECES_STOPPED,
                            CHANNEL_SUSPENDED,
                            WITHDRAWN,
                            REPLAYED,
                            CLAIMED,
                            NOT_REPLAYED,
                            CHANNEL_LOST -> STAY_ENDED;
                };
        };
    }

    private static ProtocolViolationException notLost() {
        return new ProtocolViolationException("a request index is in use");
    }

    private static ProtocolViolationException notAsked() {
        return new ProtocolViolationException("a message for a request that was not repeated on this channel");
    }

    private IllegalStateException impossible(Event event) {
        return new IllegalStateException(event + " in state " + this);
    }
}
