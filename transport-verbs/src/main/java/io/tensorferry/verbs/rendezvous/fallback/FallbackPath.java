package io.tensorferry.verbs.rendezvous.fallback;

import io.tensorferry.verbs.rendezvous.RemoteReceive;
import org.jspecify.annotations.Nullable;

/// An alternative path for tensors of a peer that no channel reaches. Implemented by the layer above.
public interface FallbackPath {
    /// Requests the tensor of `receive`. Called on the loop; must not block. Every result of the transfer, including
    /// failures, goes to [RemoteReceive#complete]. From this call on, the path owns [RemoteReceive#onGivenUp].
    ///
    /// @param sent the earlier request for the tensor, or null if there was none
    void start(RemoteReceive receive, @Nullable SentRequest sent, Progress progress);

    /// The progress of a transfer. Any thread; calls after the first have no effect.
    interface Progress {
        /// The peer has the request: it stands in the queue of its key, or a tensor was taken for it. The next request
        /// for the same key may be sent.
        void onTaken();

        /// The transfer is over and uses no memory of the receive any more. Called at least once.
        void onEnded();
    }
}
