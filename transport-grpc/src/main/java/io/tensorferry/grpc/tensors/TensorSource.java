package io.tensorferry.grpc.tensors;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import org.jspecify.annotations.Nullable;

/// Finds the tensors of this worker that peers request over gRPC.
///
/// Threading: any thread; implementations must not block.
@FunctionalInterface
public interface TensorSource {
    /// Opens a request whose worker names were validated.
    ///
    /// @param incarnation the incarnation of the requesting peer
    /// @param sent the peer's earlier request for the tensor over a channel; null if there was none
    /// @throws io.tensorferry.api.TransportException the status for the caller, if the request is refused
    StreamedRequest open(String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent);
}
