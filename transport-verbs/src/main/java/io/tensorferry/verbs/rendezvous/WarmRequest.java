package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TensorMetaData;

/// The course of a request whose metadata is known and holds: the steps of [RequestState] from the first message to the
/// delivery, worked out once for all requests for a key, so that such a transfer makes no object of them. Immutable.
final class WarmRequest {
    static final RequestState.Event CHANNEL_OPEN = new RequestState.Event.ChannelOpen();
    static final RequestState.Event CONTENT_LANDED = new RequestState.Event.ContentLanded();
    static final RequestState.Event KEY_REVOKED = new RequestState.Event.KeyRevoked();

    private final TensorMetaData metaData;
    private final RequestState start;
    private final RequestState.Step asked;
    private final RequestState.Step landed;
    private final RequestState.Step delivered;

    WarmRequest(TensorMetaData metaData) {
        this.metaData = metaData;
        this.start = new RequestState.AwaitingChannel(metaData, false);
        this.asked = RequestState.step(start, CHANNEL_OPEN);
        this.landed = RequestState.step(asked.next(), CONTENT_LANDED);
        this.delivered = RequestState.step(landed.next(), KEY_REVOKED);
    }

    TensorMetaData metaData() {
        return metaData;
    }

    /// Where such a request begins.
    RequestState start() {
        return start;
    }

    /// The same as [RequestState#step]: what was worked out, where this is what happens, and otherwise worked out now.
    @SuppressWarnings("ReferenceEquality") // the states and events that this has made, and no others
    RequestState.Step step(RequestState state, RequestState.Event event) {
        if (state == start && event == CHANNEL_OPEN) {
            return asked;
        }
        if (state == asked.next() && event == CONTENT_LANDED) {
            return landed;
        }
        if (state == landed.next() && event == KEY_REVOKED) {
            return delivered;
        }
        return RequestState.step(state, event);
    }
}
