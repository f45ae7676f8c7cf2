package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;

/// The states of the receiver's side of one transfer, as a pure state machine: [#step] returns the transition,
/// [TensorRequest] performs its actions. The metadata, the memory and the causes belong to the request.
///
/// ```
/// AWAITING_CHANNEL  -- channel -->   ASKED, or ASKED_WITH_MEMORY if the metadata is known
/// ASKED_WITH_MEMORY -- content -->   LANDED: the peer's key is revoked --> ENDED: delivered
/// ASKED*            -- metadata and content --> FILLING --> ENDED: delivered
/// ASKED*            -- metadata -->  ALLOCATING --> AWAITING_CONTENT: asked again --> content --> LANDED --> ENDED
/// any state         -- refused -->   ENDED: failed
/// any state         -- given up -->  GIVEN_UP: memory is kept until the sender confirms or content lands
/// any state         -- suspended --> AWAITING_CHANNEL: sent again on the next channel; GIVEN_UP ends
/// AWAITING_CHANNEL  -- fallback -->  ENDED: the receive continues over the fallback
/// any state         -- lost -->      ENDED: failed
/// ```
///
/// All transitions are preallocated: a step allocates nothing.
enum RequestState {
    /// The request waits for a channel to the peer.
    AWAITING_CHANNEL,
    /// TENSOR_REQUEST was sent without memory.
    ASKED,
    /// TENSOR_REQUEST was sent, and named memory for the expected metadata.
    ASKED_WITH_MEMORY,
    /// META_DATA_RESPONSE arrived; memory is being allocated.
    ALLOCATING,
    /// META_DATA_RESPONSE arrived with the content: memory for it is being allocated, and the peer has finished.
    FILLING,
    /// TENSOR_RE_REQUEST was sent.
    AWAITING_CONTENT,
    /// The content has landed; the peer's right to write there is being revoked.
    LANDED,
    /// The user was notified; the peer may still write into the memory.
    GIVEN_UP,
    ENDED;

    enum Event {
        CHANNEL_OPEN,
        /// A channel is open, and there is memory for the expected metadata.
        CHANNEL_OPEN_WITH_MEMORY,
        /// No channel is available for now, but the fallback is.
        FALLBACK_OPEN,
        METADATA_CHANGED,
        /// The metadata changed, and the content came with it.
        CONTENT_CARRIED,
        ALLOCATED,
        ALLOCATION_FAILED,
        CONTENT_LANDED,
        /// The peer can no longer write into the memory.
        KEY_REVOKED,
        /// The device has no key for the peer: the message that would name the memory was not sent. Or a piece of the
        /// content has no memory or no key, or cannot be copied, and no other piece is named.
        NO_KEY,
        /// ERROR_STATUS arrived: there will be no content, and the sender does not write.
        REFUSED,
        /// The receive was cancelled, aborted or closed by this worker.
        USER_GAVE_UP,
        /// The queue pairs are destroyed and nothing lands any more; the peer may continue over other queue pairs. The
        /// named memory is released.
        SUSPENDED,
        /// As [#SUSPENDED], but the memory is kept and named again.
        SUSPENDED_WITH_MEMORY,
        /// The channel is lost for good: no other can be opened, or the peer that had the request has ended.
        CHANNEL_LOST
    }

    enum Action {
        SEND_REQUEST,
        /// Wait for the next channel.
        AWAIT_CHANNEL,
        /// Stop waiting for a channel.
        LEAVE_CHANNEL_QUEUE,
        /// Hand the receive to the fallback.
        MOVE_TO_FALLBACK,
        /// Allocate memory for the metadata that arrived, and remember the metadata for the next request.
        ALLOCATE,
        SEND_RE_REQUEST,
        /// Notify the sender that the receiver no longer waits.
        SEND_GIVE_UP,
        /// Revoke the peer's right to write into the memory.
        REVOKE_KEY,
        DELIVER,
        FAIL,
        /// Free the memory once the peer cannot write into it any more.
        RELEASE_MEMORY,
        /// Free the index for another request.
        FORGET
    }

    record Step(RequestState next, List<Action> actions) {
        private static Step to(RequestState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    private static final Step ASK = Step.to(ASKED, Action.SEND_REQUEST);
    private static final Step ASK_WITH_MEMORY = Step.to(ASKED_WITH_MEMORY, Action.SEND_REQUEST);
    private static final Step MOVE_TO_FALLBACK =
            Step.to(ENDED, Action.RELEASE_MEMORY, Action.MOVE_TO_FALLBACK, Action.FORGET);
    private static final Step LEAVE = Step.to(ENDED, Action.LEAVE_CHANNEL_QUEUE, Action.RELEASE_MEMORY, Action.FORGET);
    private static final Step ALLOCATE = Step.to(ALLOCATING, Action.RELEASE_MEMORY, Action.ALLOCATE);
    private static final Step FILL = Step.to(FILLING, Action.RELEASE_MEMORY, Action.ALLOCATE);
    private static final Step ASK_AGAIN = Step.to(AWAITING_CONTENT, Action.SEND_RE_REQUEST);
    private static final Step REVOKE = Step.to(LANDED, Action.REVOKE_KEY);
    // The index is freed first: when the user is notified of the end, nothing is pending.
    private static final Step DELIVER = Step.to(ENDED, Action.FORGET, Action.DELIVER);
    private static final Step FAIL = Step.to(ENDED, Action.RELEASE_MEMORY, Action.FORGET, Action.FAIL);
    private static final Step FAIL_AND_GIVE_UP = Step.to(GIVEN_UP, Action.FAIL, Action.SEND_GIVE_UP);
    private static final Step GIVE_UP = Step.to(GIVEN_UP, Action.SEND_GIVE_UP);
    private static final Step SUSPEND = Step.to(AWAITING_CHANNEL, Action.RELEASE_MEMORY, Action.AWAIT_CHANNEL);
    private static final Step SUSPEND_WITH_MEMORY = Step.to(AWAITING_CHANNEL, Action.AWAIT_CHANNEL);
    private static final Step END_SILENTLY = Step.to(ENDED, Action.RELEASE_MEMORY, Action.FORGET);
    private static final Step FORGET = Step.to(ENDED, Action.FORGET);
    private static final Step STAY_FILLING = Step.to(FILLING);
    private static final Step STAY_LANDED = Step.to(LANDED);
    private static final Step STAY_GIVEN_UP = Step.to(GIVEN_UP);
    private static final Step RELEASE_GIVEN_UP = Step.to(GIVEN_UP, Action.RELEASE_MEMORY);
    private static final Step STAY_ENDED = Step.to(ENDED);
    private static final Step RELEASE_ENDED = Step.to(ENDED, Action.RELEASE_MEMORY);

    /// Returns the transition for `event` in this state.
    ///
    /// @throws ProtocolViolationException if the event comes from the peer and is not allowed now
    Step step(Event event) {
        return switch (this) {
            case AWAITING_CHANNEL ->
                switch (event) {
                    case CHANNEL_OPEN -> ASK;
                    case CHANNEL_OPEN_WITH_MEMORY -> ASK_WITH_MEMORY;
                    case FALLBACK_OPEN -> MOVE_TO_FALLBACK;
                    case CHANNEL_LOST -> FAIL;
                    case USER_GAVE_UP -> LEAVE;
                    case METADATA_CHANGED, CONTENT_CARRIED, CONTENT_LANDED, REFUSED ->
                        throw new ProtocolViolationException("an answer to a request that was not sent");
                    case ALLOCATED, ALLOCATION_FAILED, KEY_REVOKED, NO_KEY, SUSPENDED, SUSPENDED_WITH_MEMORY ->
                        throw impossible(event);
                };
            case ASKED, ASKED_WITH_MEMORY ->
                switch (event) {
                    case METADATA_CHANGED -> ALLOCATE;
                    case CONTENT_CARRIED -> FILL;
                    case CONTENT_LANDED -> {
                        if (this == ASKED) {
                            throw new ProtocolViolationException("content for a request that named no memory");
                        }
                        yield REVOKE;
                    }
                    case REFUSED, NO_KEY, CHANNEL_LOST -> FAIL;
                    case USER_GAVE_UP -> GIVE_UP;
                    case SUSPENDED -> SUSPEND;
                    case SUSPENDED_WITH_MEMORY -> SUSPEND_WITH_MEMORY;
                    case CHANNEL_OPEN,
                            CHANNEL_OPEN_WITH_MEMORY,
                            FALLBACK_OPEN,
                            ALLOCATED,
                            ALLOCATION_FAILED,
                            KEY_REVOKED -> throw impossible(event);
                };
            case ALLOCATING ->
                switch (event) {
                    case ALLOCATED -> ASK_AGAIN;
                    case ALLOCATION_FAILED -> FAIL_AND_GIVE_UP;
                    case METADATA_CHANGED, CONTENT_CARRIED ->
                        throw new ProtocolViolationException("metadata twice for one request");
                    case CONTENT_LANDED ->
                        throw new ProtocolViolationException("content for a request that named no memory");
                    case REFUSED, CHANNEL_LOST -> FAIL;
                    case USER_GAVE_UP -> GIVE_UP;
                    // Memory that is being allocated is discarded once it is allocated.
                    case SUSPENDED, SUSPENDED_WITH_MEMORY -> SUSPEND_WITH_MEMORY;
                    case CHANNEL_OPEN, CHANNEL_OPEN_WITH_MEMORY, FALLBACK_OPEN, KEY_REVOKED, NO_KEY ->
                        throw impossible(event);
                };
            case FILLING ->
                switch (event) {
                    case ALLOCATED -> DELIVER;
                    case ALLOCATION_FAILED -> FAIL;
                    case USER_GAVE_UP -> FORGET;
                    // The peer has sent all that it may send for this request; its channel does not matter any more.
                    case METADATA_CHANGED,
                            CONTENT_CARRIED,
                            CONTENT_LANDED,
                            REFUSED,
                            SUSPENDED,
                            SUSPENDED_WITH_MEMORY,
                            CHANNEL_LOST -> STAY_FILLING;
                    case CHANNEL_OPEN, CHANNEL_OPEN_WITH_MEMORY, FALLBACK_OPEN, KEY_REVOKED, NO_KEY ->
                        throw impossible(event);
                };
            case AWAITING_CONTENT ->
                switch (event) {
                    case CONTENT_LANDED -> REVOKE;
                    case METADATA_CHANGED, CONTENT_CARRIED ->
                        throw new ProtocolViolationException("metadata twice for one request");
                    case REFUSED, CHANNEL_LOST -> FAIL;
                    case NO_KEY -> FAIL_AND_GIVE_UP;
                    case USER_GAVE_UP -> GIVE_UP;
                    case SUSPENDED -> SUSPEND;
                    case SUSPENDED_WITH_MEMORY -> SUSPEND_WITH_MEMORY;
                    case CHANNEL_OPEN,
                            CHANNEL_OPEN_WITH_MEMORY,
                            FALLBACK_OPEN,
                            ALLOCATED,
                            ALLOCATION_FAILED,
                            KEY_REVOKED -> throw impossible(event);
                };
            case LANDED ->
                switch (event) {
                    case KEY_REVOKED -> DELIVER;
                    // Too late for the user, whose receive has ended; and the peer has sent all that it may send.
                    case USER_GAVE_UP, METADATA_CHANGED, CONTENT_CARRIED, CONTENT_LANDED, REFUSED -> STAY_LANDED;
                    // The key could not be revoked.
                    case CHANNEL_LOST -> FAIL;
                    case CHANNEL_OPEN,
                            CHANNEL_OPEN_WITH_MEMORY,
                            FALLBACK_OPEN,
                            ALLOCATED,
                            ALLOCATION_FAILED,
                            NO_KEY,
                            // The key is revoked before the loss is reported.
                            SUSPENDED,
                            SUSPENDED_WITH_MEMORY -> throw impossible(event);
                };
            case GIVEN_UP ->
                switch (event) {
                    // The content, a refusal or the confirmation: the sender no longer writes. With NO_KEY the request
                    // that would have named the memory was not sent.
                    case CONTENT_LANDED,
                            CONTENT_CARRIED,
                            REFUSED,
                            SUSPENDED,
                            SUSPENDED_WITH_MEMORY,
                            CHANNEL_LOST,
                            NO_KEY -> END_SILENTLY;
                    // The metadata and the give-up crossed; the confirmation follows.
                    case METADATA_CHANGED, ALLOCATION_FAILED, USER_GAVE_UP -> STAY_GIVEN_UP;
                    // No message has named this memory.
                    case ALLOCATED -> RELEASE_GIVEN_UP;
                    case CHANNEL_OPEN, CHANNEL_OPEN_WITH_MEMORY, FALLBACK_OPEN, KEY_REVOKED -> throw impossible(event);
                };
            case ENDED -> event == Event.ALLOCATED ? RELEASE_ENDED : STAY_ENDED;
        };
    }

    private IllegalStateException impossible(Event event) {
        return new IllegalStateException(event + " in state " + this);
    }
}
