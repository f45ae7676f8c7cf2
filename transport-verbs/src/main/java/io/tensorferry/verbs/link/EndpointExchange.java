package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.CompletableFuture;

/// The dialling end's connection to a peer outside the verbs device: carries the offer and the ready message of a
/// channel's set-up.
///
/// Implemented by the gRPC module. The futures may complete on any thread, and fail with a
/// [io.tensorferry.api.TransportException]: `UNAVAILABLE` and `DEADLINE_EXCEEDED` can be retried, other codes are
/// final. Each call ends within the implementation's deadline.
public interface EndpointExchange {
    /// Offers a channel to `peer`.
    CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer);

    /// Notifies `peer` that the dialling end has connected its queue pairs to the answer and is ready to receive.
    ///
    /// @param self the dialling worker's name
    CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId);
}
