package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TensorMetaData;

/// The course of a response whose tensor is as the peer expects it: the steps of [ResponseState] from the request to
/// the end of the write, worked out once for all requests of one name, so that such a transfer makes no object of them.
/// Immutable.
final class WarmResponse {
    static final ResponseState.Event WRITTEN = new ResponseState.Event.Written();

    private final ResponseState start;
    private final ResponseState.Event asExpected;
    private final ResponseState.Step writing;
    private final ResponseState.Step ended;

    WarmResponse(TensorMetaData expected) {
        this.start = new ResponseState.AwaitingTensor(expected);
        this.asExpected = new ResponseState.Event.Prepared(expected, false, false);
        this.writing = ResponseState.step(start, asExpected);
        this.ended = ResponseState.step(writing.next(), WRITTEN);
    }

    /// Where such a response begins.
    ResponseState start() {
        return start;
    }

    /// The tensor is there, and as expected.
    ResponseState.Event asExpected() {
        return asExpected;
    }

    /// The same as [ResponseState#step]: what was worked out, where this is what happens, and otherwise worked out now.
    @SuppressWarnings("ReferenceEquality") // the states and events that this has made, and no others
    ResponseState.Step step(ResponseState state, ResponseState.Event event) {
        if (state == start && event == asExpected) {
            return writing;
        }
        if (state == writing.next() && event == WRITTEN) {
            return ended;
        }
        return ResponseState.step(state, event);
    }
}
