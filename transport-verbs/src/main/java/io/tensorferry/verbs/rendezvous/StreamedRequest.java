package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;

/// A request of a peer for one tensor of this worker, whose content is not written into the peer's memory but read by
/// whoever took it, and streamed.
///
/// Threading: any thread; [#take] first, once.
public interface StreamedRequest {
    /// Told once of the tensor, on any thread; it must not block.
    interface Taker extends DoneCallback {
        /// The request stands in the queue of its key, or has a tensor. At most once, and not where there is a failure;
        /// it may come after the tensor.
        void onTaken();
    }

    /// Gives `taker` the tensor, at once or when it is there.
    void take(Taker taker);

    /// The peer does not wait any longer.
    ///
    /// @return whether the taker is not told any more; if not it has been told, or will be soon
    boolean giveUp();

    /// Nothing is left to be done for the request.
    void end();
}
