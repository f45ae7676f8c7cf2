package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.CompletableFuture;

/// The answering end of [EndpointExchange]: a server calls it when a peer's offer or ready message arrives. The
/// arguments are untrusted and are validated here.
///
/// Threading: any thread; the calls return at once. A future fails with a [io.tensorferry.api.TransportException],
/// whose code is returned to the caller.
public interface EndpointAcceptor {
    CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer);

    CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId);
}
