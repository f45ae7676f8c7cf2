package io.tensorferry.grpc.tensors;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import org.jspecify.annotations.Nullable;

/// Where the tensors of this worker are found that peers ask for over gRPC.
///
/// Threading: any thread; nothing here blocks.
@FunctionalInterface
public interface TensorSource {
    /// Takes a request up, whose names have been checked.
    ///
    /// @param incarnation the life of the peer that asks
    /// @param sent what it says of the channel on which it asked before; null if it never did
    /// @throws io.tensorferry.api.TransportException for the caller, if there is nothing to be had
    StreamedRequest open(String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent);
}
