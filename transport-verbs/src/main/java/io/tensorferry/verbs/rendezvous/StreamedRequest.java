package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;

/// A peer's request for one tensor of this worker that the taker reads and streams, instead of writing it into the
/// peer's memory by RDMA.
///
/// Threading: any thread; [#take] is called first, once.
public interface StreamedRequest {
    /// Receives the tensor once, on any thread; must not block.
    interface Taker extends DoneCallback {
        /// Reports that the request stands in the queue of its key or has a tensor. Called at most once, possibly after
        /// the tensor is delivered; may be omitted after a failure.
        void onTaken();
    }

    /// Gives `taker` the tensor, immediately or when it is available.
    void take(Taker taker);

    /// Gives the request up because the peer no longer waits.
    ///
    /// @return true if the taker will not be called; otherwise it has been called, or will be soon
    boolean giveUp();

    /// Ends the request; no work is left for it.
    void end();
}
