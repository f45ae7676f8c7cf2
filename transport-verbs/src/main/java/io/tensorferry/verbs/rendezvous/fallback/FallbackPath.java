package io.tensorferry.verbs.rendezvous.fallback;

import io.tensorferry.verbs.rendezvous.RemoteReceive;
import org.jspecify.annotations.Nullable;

/// Another way to get tensors of a peer to which no channel can be had. Implemented by the layer above.
public interface FallbackPath {
    /// Asks for the tensor of `receive`. Called on the loop, and must not block; every end of the transfer, its failure
    /// too, goes to [RemoteReceive#complete], and [RemoteReceive#onGivenUp] is this path's from now on.
    ///
    /// @param sent how the tensor was asked for before, or null if it never was
    void start(RemoteReceive receive, @Nullable SentRequest sent, Progress progress);

    /// How a transfer goes on. Any thread; calls after the first change nothing.
    interface Progress {
        /// The peer has the request: it stands in the queue of its key, or a tensor was taken for it. The next request
        /// for the same key may be sent.
        void onTaken();

        /// The transfer is over, and uses no memory of the receive any more. Comes once at least.
        void onEnded();
    }
}
